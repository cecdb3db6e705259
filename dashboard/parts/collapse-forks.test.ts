import { expect, test } from 'vitest'
import type { Picture, PictureEdge, PictureNode } from '../../src/core/draw/picture.ts'
import { collapseForks, forksInPicture } from './collapse-forks.ts'

function nodeOf(id: string, kind: PictureNode['kind'] = 'stage'): PictureNode {
  return { id, kind, title: id, name: id, isInitial: id === 'plan', outcome: null, facts: [] }
}

function edgeOf(from: string, to: string, signals = ''): PictureEdge {
  const kind = from.startsWith('fork') ? 'fork' : to.startsWith('join') ? 'join' : 'normal'
  const lines = signals === '' ? [] : [{ signals, condition: '', gate: null }]
  return { from, to, kind, lines, isBad: false }
}

const stages = ['plan', 'build', 'test', 'built', 'tested', 'stuck', 'ship'].map((id) => nodeOf(id))
const picture: Picture = {
  ...{ title: 'release', about: '', notes: [], guards: [] },
  nodes: [...stages, nodeOf('fork', 'fork'), nodeOf('join', 'join')],
  edges: [
    edgeOf('plan', 'fork', 'GO'),
    edgeOf('fork', 'build', 'code'),
    edgeOf('fork', 'test', 'tests'),
    edgeOf('build', 'built', 'DONE'),
    edgeOf('build', 'stuck', 'STUCK'),
    edgeOf('test', 'tested', 'DONE'),
    edgeOf('built', 'join'),
    edgeOf('tested', 'join'),
    edgeOf('join', 'ship', 'all branches done'),
    edgeOf('join', 'plan', 'a branch failed'),
  ],
}

test('a fork contains what only its branches lead to, up to the join', () => {
  expect(forksInPicture(picture)).toEqual([
    {
      forkId: 'fork',
      joinId: 'join',
      branches: ['code', 'tests'],
      inner: new Set(['build', 'test', 'built', 'tested', 'stuck']),
    },
  ])
})

test('a stage that is also reached without the fork stays visible', () => {
  const shared = { ...picture, edges: [...picture.edges, edgeOf('plan', 'stuck', 'GIVE_UP')] }
  const [fork] = forksInPicture(shared)
  expect(fork?.inner.has('stuck')).toBe(false)
  const { edges } = collapseForks(shared, forksInPicture(shared))
  expect(edges).toContainEqual({ ...edgeOf('plan', 'stuck', 'GIVE_UP') })
  expect(edges.find(({ from, to }) => from === 'fork' && to === 'stuck')?.lines).toEqual([
    { signals: 'STUCK', condition: '', gate: null },
  ])
})

test('a collapsed fork is one node, named after its branches, from which the run goes on', () => {
  const { nodes, edges } = collapseForks(picture, forksInPicture(picture))
  expect(nodes.map(({ title }) => title)).toEqual(['plan', 'ship', 'code + tests'])
  expect(edges.map(({ from, to }) => `${from} ${to}`)).toEqual([
    'plan fork',
    'fork ship',
    'fork plan',
  ])
})

test('a fork within a collapsed fork is not drawn, and without one nothing changes', () => {
  const nested: Picture = {
    ...picture,
    nodes: [...picture.nodes, nodeOf('fork2', 'fork'), nodeOf('join2', 'join'), nodeOf('lint')],
    edges: [
      ...picture.edges.filter(({ from, to }) => from !== 'test' || to !== 'tested'),
      edgeOf('test', 'fork2', 'SPLIT'),
      edgeOf('fork2', 'lint', 'lint'),
      edgeOf('lint', 'join2'),
      edgeOf('join2', 'tested', 'all branches done'),
    ],
  }
  const forks = forksInPicture(nested)
  expect(forks.map(({ inner }) => inner.has('lint'))).toEqual([true, true])
  expect(collapseForks(nested, forks).nodes.map(({ id }) => id)).toEqual(['plan', 'ship', 'fork'])
  expect(collapseForks(nested, [])).toBe(nested)
})
