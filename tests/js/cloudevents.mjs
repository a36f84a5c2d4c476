// The CloudEvents SDK as a consumer: `node cloudevents.mjs BROKER ROOT`, until both halves of the table are offline.
// Prints `ready`, then how many messages its MQTT binding takes, and how many others it refuses, as JSON by channel.
import { MQTT } from 'cloudevents'
import mqtt from 'mqtt'

const [broker, root] = process.argv.slice(2)
const taken = {}
const refused = {}
const offline = new Set()
const client = mqtt.connect(broker, { protocolVersion: 5 })

client.on('message', (topic, payload, { properties }) => {
  const channel = topic.slice(root.length + 1).split('/')[0]
  // The SDK's names for the parts of an MQTT 5 message.
  const message = {
    PUBLISH: { 'Content Type': properties?.contentType },
    headers: properties?.userProperties ?? {},
    body: payload.toString(),
  }
  const counts = MQTT.isEvent(message) && MQTT.toEvent(message, true).validate() ? taken : refused
  counts[channel] = (counts[channel] ?? 0) + 1
  if (channel === 'status' && JSON.parse(message.body).online === false) offline.add(topic)
  if (offline.size === 2) client.end(() => console.log(JSON.stringify({ taken, refused })))
})

client.on('connect', async () => {
  await client.subscribeAsync(`${root}/#`, { qos: 1 })
  console.log('ready')
})
