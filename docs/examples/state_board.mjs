// State board of a site in a terminal: one line for each table, stale ones marked.
//
//   npm install mqtt
//   node state_board.mjs mqtt://BROKER:1883 SITE
//
// A line shows `deal` only while the table is online, current, and its permit is granted.
import mqtt from 'mqtt'

const SILENCE_MS = 25_000 // a log that lives has a row every ten seconds

export class Board {
  constructor(site) {
    this.root = `pitwarden/v1/${site}`
    this.tables = new Map()
  }

  get filters() {
    return ['status/+', 'state', 'head', 'events/+/+'].map((each) => `${this.root}/+/${each}`)
  }

  take(topic, payload, now) {
    const [name, channel, part] = topic.slice(this.root.length + 1).split('/')
    const table = this.tables.get(name) ?? { heard: now, logMs: 0, left: new Set() }
    this.tables.set(name, table)
    if (channel === 'events') {
      table.heard = now
      table.logMs = JSON.parse(payload).logms
    } else {
      // An empty payload deletes a retained message: what it held is no longer known.
      const message = payload.length > 0 ? JSON.parse(payload) : undefined
      if (channel === 'status') table[part] = message
      else if (channel === 'head') table.head = message
      else if (message === undefined || isNewer(table, message)) table.state = message
    }
    if (!table.field && !table.judge && !table.state && !table.head) this.tables.delete(name)
  }

  lines(now, link = '') {
    return [...this.tables].sort(([a], [b]) => a.localeCompare(b)).map(([name, table]) => line(name, table, now, link))
  }
}

// Numbers of two epochs cannot be compared: a late state of an epoch that was left is known by its name.
function isNewer(table, { as_of: now }) {
  const before = table.state?.as_of
  if (table.left.has(now.epoch)) return false
  if (before && before.epoch !== now.epoch) table.left.add(before.epoch)
  return before?.epoch !== now.epoch || now.number >= before.number
}

function stale({ field, judge, state, head, heard, logMs }, now) {
  if (!field?.online) return 'controller offline'
  if (!judge?.online) return 'judge offline'
  if (!state) return 'no state'
  if (now - heard > SILENCE_MS) return `silent for ${Math.floor((now - heard) / 1000)} s`
  if (head && (head.at.epoch !== state.as_of.epoch || head.at.number > state.as_of.number + 50)) return 'judge behind'
  if (logMs > state.permit.expires_ms) return 'permit not renewed'
  return ''
}

function line(name, table, now, link) {
  const reason = link || stale(table, now)
  const { state } = table
  const permit = reason ? 'STALE' : state.permit.granted ? 'deal' : 'hold'
  const where = state ? `${state.game} round ${state.round}${state.simulated ? ' SIMULATED' : ''}` : ''
  const open = state?.irregularities.map((each) => `${each.catalogue} ${each.status}`) ?? []
  const why = reason || (state.permit.granted ? '' : state.permit.reasons.join('; '))
  return [name.padEnd(14), permit.padEnd(6), where, why, ...open].filter(Boolean).join('  ')
}

export function run(broker, site) {
  const board = new Board(site)
  let link = 'no connection'
  const client = mqtt.connect(broker, { protocolVersion: 5, clean: true })
  client.on('connect', () => {
    client.subscribe(board.filters, { qos: 1 }, (error, granted) => {
      // With a reason code of 128 or more the broker refuses a filter: a board of half the topics would be wrong.
      link = error || granted.some(({ qos }) => qos >= 128) ? 'subscription refused' : ''
    })
  })
  client.on('close', () => { link = 'no connection' })
  client.on('error', (error) => console.error(`${broker}: ${error.message}`))
  client.on('message', (topic, payload) => {
    try {
      board.take(topic, payload, Date.now())
    } catch (error) {
      console.error(`${topic}: not a message of the contract: ${error.message}`)
    }
  })
  let shown
  setInterval(() => {
    const lines = board.lines(Date.now(), link).join('\n') || link || 'no table'
    if (lines !== shown) console.log(`${process.stdout.isTTY ? '\x1b[2J\x1b[H' : ''}${(shown = lines)}\n`)
  }, 500)
}

if (process.argv[1] === new URL(import.meta.url).pathname) {
  const [broker, site] = process.argv.slice(2)
  if (!site) {
    console.error('usage: node state_board.mjs mqtt://BROKER:1883 SITE')
    process.exit(2)
  }
  run(broker, site)
}
