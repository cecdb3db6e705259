import { Socket } from 'node:net'
import { expect, test } from 'vitest'
import { limitConnections } from './limit-connections.ts'

function openDoor(connectionsMax: number, agentsMax: number) {
  const connections = limitConnections({ connectionsMax, agentsMax })
  const connect = (rank: 'stranger' | 'agent' | 'person' = 'stranger'): Socket => {
    const socket = new Socket()
    connections.add(socket)
    if (rank !== 'stranger') connections.identify(socket, rank)
    return socket
  }
  return { connections, connect }
}

const areClosed = (sockets: readonly Socket[]): readonly boolean[] =>
  sockets.map(({ destroyed }) => destroyed)

test('strangers make room for each other, the oldest first, and for nobody else', () => {
  const { connections, connect } = openDoor(4, 3)
  const known = [connect('person'), connect('agent')]
  const strangers = [connect(), connect(), connect(), connect(), connect()]
  expect(areClosed(strangers)).toEqual([true, true, true, false, false])
  expect(areClosed(known)).toEqual([false, false])
  expect(connections.count()).toBe(4)
})

test('whoever asks something stays; a silent agent goes before a silent person', () => {
  const { connections, connect } = openDoor(3, 3)
  const [person, busy, silent] = [connect('person'), connect('agent'), connect('agent')]
  const end = connections.begin(busy)
  const [first, second] = [connect('agent'), connect('agent')]
  expect(areClosed([person, busy, silent, first, second])).toEqual([
    ...[false, false, true, true, false],
  ])
  end()
})

test('when everybody is busy, a new one is turned away', () => {
  const { connections, connect } = openDoor(2, 2)
  const [one, two] = [connect('agent'), connect('person')]
  connections.begin(one)
  connections.begin(two)
  const late = connect()
  expect(areClosed([one, two, late])).toEqual([false, false, true])
})

test('agents leave room for people: beyond their share they make room for each other', () => {
  const { connections, connect } = openDoor(4, 2)
  const agents = [connect('agent'), connect('agent')]
  for (const socket of agents) connections.begin(socket)
  const third = connect('agent')
  expect(areClosed([...agents, third])).toEqual([true, false, false])
  expect(areClosed([connect('person'), connect('person')])).toEqual([false, false])
})
