// Drives an engine as Sabaki does, with Sabaki's own GTP client: commands sent
// without waiting, analysis that streams, and the state kept in step.
// usage: node sabaki.cjs ENGINE, with @sabaki/gtp to be found by NODE_PATH
'use strict'
const assert = require('assert')
const {Controller, ControllerStateTracker} = require('@sabaki/gtp')

const engine = process.argv[2]
const options = ['gtp', '--threads', '1', '--memory', '16', '--playouts', '80']

// Sends an analysis, waits for some reports, and ends it as Sabaki does, with
// another command. Returns the lines of the reply.
async function analyze(controller, name, args, wanted) {
  let lines = []
  let enough
  let seen = new Promise(resolve => { enough = resolve })
  let reply = controller.sendCommand({name, args}, ({line}) => {
    lines.push(line)
    if (lines.filter(line => line.startsWith('info')).length >= wanted) enough()
  })
  await seen
  let next = await controller.sendCommand({name: 'protocol_version'})
  assert.strictEqual(next.content, '2')
  let response = await reply
  assert(!response.error, response.content)
  assert.strictEqual(lines[0], '=')
  assert.strictEqual(lines[lines.length - 1], '')
  return lines.slice(1, -1)
}

function checkReport(line, {floats, ownership}) {
  for (let part of line.split(/\s*info\s+/).filter(part => part !== '')) {
    let words = part.split(' ownership ')[0].trim().split(/\s+/)
    let pv = words.indexOf('pv')
    assert(pv > 0 && words.slice(pv + 1).every(word => /^([A-HJ-T]\d+|pass)$/.test(word)), part)
    let value = key => Number(words[words.indexOf(key) + 1])
    let most = floats ? 1 : 10000
    assert(value('visits') > 0 && value('winrate') >= 0 && value('winrate') <= most, part)
  }
  let owners = line.split(' ownership ')[1]
  assert.strictEqual(owners != null, ownership)
  if (ownership) {
    let values = owners.trim().split(/\s+/).map(Number)
    assert(values.length === 81 && values.every(x => x >= -1 && x <= 1), owners)
  }
}

async function main() {
  let controller = new Controller(engine, options)
  let tracker = new ControllerStateTracker(controller)
  controller.start()
  let send = (name, ...args) => controller.sendCommand({name, args})

  // Everything at once, as at the start.
  let replies = await Promise.all(
    ['name', 'version', 'protocol_version', 'list_commands'].map(name => send(name)))
  assert(replies.every(reply => !reply.error))
  let commands = replies[3].content.split('\n')
  assert(commands.every(name => name === name.trim() && name !== ''))
  assert(!commands.includes('analyze'), 'its win rate would be misread')
  let analysis = ['analyze', 'kata-analyze', 'lz-analyze'].find(name => commands.includes(name))
  assert.strictEqual(analysis, 'kata-analyze')

  let play = (color, vertex) => ({name: 'play', args: [color, vertex]})
  let opening = [play('B', 'E5'), play('W', 'C3'), play('B', 'G7')]
  await tracker.sync({komi: 6.5, boardsize: [9, 9], history: opening})
  // One move back and another way on; then stones in any order and colour.
  await tracker.sync({komi: 6.5, boardsize: [9, 9], history: [...opening.slice(0, 2), play('B', 'C7')]})
  assert.strictEqual((await send('list_stones', 'b')).content, 'E5 C7')
  await tracker.sync({komi: 7, boardsize: [9, 9], history: [play('W', 'A1'), play('W', 'B1'), play('B', 'A2')]})
  await tracker.sync({komi: 7, boardsize: [9, 5], history: [play('B', 'J5')]})
  await tracker.sync({komi: 0.5, boardsize: [9, 9],
    history: [{name: 'set_free_handicap', args: ['D4', 'F6']}, play('W', 'E5')]})

  for (let line of await analyze(controller, 'kata-analyze', ['B', '5', 'ownership', 'true'], 3)) {
    checkReport(line, {floats: true, ownership: true})
  }
  for (let line of await analyze(controller, 'lz-analyze', ['W', '5'], 3)) {
    checkReport(line, {floats: false, ownership: false})
  }
  await analyze(controller, 'lz-analyze', ['5'], 1)
  assert.strictEqual((await send('list_stones', 'w')).content, 'E5', 'analysis plays nothing')

  for (let name of ['kata-genmove_analyze', 'lz-genmove_analyze']) {
    let played = null
    let reply = await controller.sendCommand({name, args: ['B', '5']}, ({line}) => {
      let match = line.trim().match(/^play\s+(.*)$/)
      if (match) played = match[1]
    })
    assert(!reply.error && /^([A-HJ]\d|pass|resign)$/.test(played), reply.content)
    if (/\d/.test(played)) assert.strictEqual((await send('color', played)).content, 'black')
    assert(!(await send('undo')).error)
  }
  let reply = await tracker.queueCommand({name: 'genmove', args: ['B']})
  assert(!reply.error && tracker.state.history.length === 3)
  await send('final_score')
  let stopped = Date.now()
  await controller.stop()
  assert(Date.now() - stopped < 3000, 'the engine quits by itself')
}

main().catch(error => {
  console.error(error)
  process.exit(1)
})
