// A consumer written from the contract alone: `node consumer.mjs BROKER CONTRACT SITE TABLE [DROP]`.
// Follows a table until both its halves are offline, then prints what it knows of each round as JSON.
// DROP: every so many live messages are thrown away, so that gaps have to be found and filled by replays.
import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import mqtt from 'mqtt'

const [broker, contractFile, site, table, drop = '0'] = process.argv.slice(2)
const contract = JSON.parse(readFileSync(contractFile, 'utf8'))
const GENESIS = '0'.repeat(64)
const name = 'js'

const topic = (channel, parameters = {}) =>
  contract.channels[channel].address.replace(/\{(\w+)\}/g, (_, key) => ({ site, table, consumer: name, ...parameters })[key] ?? '+')
const digest = (bytes) => createHash('sha256').update(bytes).digest('hex')

class Chain {
  constructor(of, number, apply) {
    Object.assign(this, { of, number, apply, last: 0, hash: null, at: null, held: new Map(), asking: null, asked: 0 })
  }
  take(bytes) {
    const event = JSON.parse(bytes)
    const number = event[this.number]
    if (number > this.last) this.held.set(number, { event, bytes })
    for (let next; (next = this.held.get(this.last + 1)); ) {
      this.held.delete(this.last + 1)
      if (next.event.prevhash !== (this.hash ?? GENESIS)) throw new Error(`${this.of} ${this.last + 1}: broken chain`)
      this.last += 1
      this.hash = digest(next.bytes)
      this.at = { epoch: next.event.epoch, number: next.event.tableseq }
      this.apply(next.event)
    }
    if (this.held.size > 0) this.ask()
  }
  ask() {
    if (this.asking) return
    this.asking = `${this.of}-${++this.asked}`
    const place = this.of === 'log' ? { after: this.at, hash: this.hash } : { output: this.last, hash: this.hash }
    client.publish(topic('replayRequests'), JSON.stringify({ id: this.asking, of: this.of, limit: 40, ...place }), { qos: 1 })
  }
  answered(reply) {
    if (reply.id !== this.asking) return
    if (reply.refused) throw new Error(`${this.of}: ${reply.refused}`)
    this.asking = null
    if (reply.more || this.held.size > 0) this.ask()
  }
}

const rounds = []
const rowRound = new Map() // the number of a row: the round that it belongs to
const sealed = new Map() // `${row}.${index}`: where the commitment was made
let playing = null

const log = new Chain('log', 'tableseq', (row) => {
  const data = row.data
  if (data.kind === 'input' && data.act.act === 'kp.boxes') {
    playing = { boxes: data.act.boxes, ended: false, drawn: 0, cards: {}, said: [], proved: 0 }
    rounds.push(playing)
  }
  rowRound.set(row.tableseq, playing)
  if (data.kind === 'shoe.card' && playing) playing.drawn += 1
  if (data.kind === 'shoe.stack' && playing) playing.drawn += data.count
  if (data.kind === 'input' && data.act.act === 'kp.round_end' && playing) playing.ended = true
  const seals = data.faces ?? [data.face ?? data.answer].filter(Boolean)
  seals.forEach((seal, index) => sealed.set(`${row.tableseq}.${index}`, { source: row.source, commitment: seal.commitment }))
})

const waiting = [] // outputs whose rows have not come yet
const outputs = new Chain('outputs', 'outputseq', (output) => { waiting.push(output); release() })

function release() {
  while (waiting.length > 0 && waiting[0].tableseq <= log.last) {
    const output = waiting.shift()
    const data = output.data
    const revealed = data.kind === 'reveal' || data.kind === 'reader.revealed'
    const round = rowRound.get(revealed ? data.event : output.tableseq)
    if (!round) continue
    if (data.kind === 'irregularity') round.said.push(`${data.catalogue} ${data.status}`)
    if (data.kind === 'reveal') round.cards[data.slot] = data.face
    if (revealed) round.proved += proves(data) ? 1 : 0
  }
}

// The commitment is SHA-256 over source, event id, index, secret byte and blind, each with its length before it.
function proves(data) {
  const seal = sealed.get(`${data.event}.${data.index ?? 0}`)
  const index = Buffer.alloc(4)
  index.writeUInt32BE(data.index ?? 0)
  const secret = data.kind === 'reveal' ? faceOf(data.face) : Number(data.blackjack)
  const fields = [Buffer.from(seal.source), Buffer.from(`${data.epoch}/${data.event}`), index, Buffer.from([secret]), Buffer.from(data.blind, 'hex')]
  const framed = fields.map((field) => {
    const length = Buffer.alloc(4)
    length.writeUInt32BE(field.length)
    return Buffer.concat([length, field])
  })
  return digest(Buffer.concat(framed)) === seal.commitment && seal.commitment === data.commitment
}

function faceOf(card) {
  if (card === 'JKR') return 52
  if (card === '??') return 63
  const ranks = ['A', '2', '3', '4', '5', '6', '7', '8', '9', '10', 'J', 'Q', 'K']
  return 'CDHS'.indexOf(card.at(-1)) * 13 + ranks.indexOf(card.slice(0, -1))
}

const online = { field: null, judge: null }
let state = null
let live = 0

function heard(name_, bytes) {
  const lost = Number(drop) > 0 && ['events', 'irregularities', 'reveals'].includes(name_) && ++live % Number(drop) === 0
  if (lost) return
  if (name_ === 'events' || name_ === 'replayLog') log.take(bytes)
  else if (['irregularities', 'reveals', 'replayOutputs'].includes(name_)) outputs.take(bytes)
  else if (name_ === 'replayReplies') {
    const reply = JSON.parse(bytes)
    ;(reply.of === 'log' ? log : outputs).answered(reply)
  } else if (name_ === 'state') state = JSON.parse(bytes)
  release()
}

const client = mqtt.connect(broker, { protocolVersion: 5, clientId: `js-${process.pid}` })
const channels = ['events', 'irregularities', 'reveals', 'state', 'replayLog', 'replayOutputs', 'replayReplies', 'status']
const patterns = channels.map((channel) => [channel, new RegExp(`^${topic(channel).replaceAll('+', '[^/]+')}$`)])

client.on('connect', async () => {
  await client.subscribeAsync(channels.map((channel) => topic(channel)), { qos: 1 })
  log.ask()
  outputs.ask()
  console.log('ready')
})

client.on('message', (at, bytes) => {
  const [channel] = patterns.find(([, pattern]) => pattern.test(at))
  if (channel === 'status') online[at.split('/').at(-1)] = JSON.parse(bytes).online
  else heard(channel, bytes)
  const over = online.field === false && online.judge === false && state
  if (!over) return
  if (log.last < state.as_of.number) log.ask()
  else if (outputs.last < state.outputs) outputs.ask()
  else if (!log.asking && !outputs.asking && waiting.length === 0) {
    console.log(JSON.stringify({ rows: log.last, outputs: outputs.last, replays: log.asked + outputs.asked, rounds }))
    client.end(true, () => process.exit(0))
  }
})
