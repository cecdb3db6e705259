import { expect, test } from 'vitest'
import {
  form,
  fullPipeline,
  gateChecklist,
  hostile,
  long,
  machine,
  on,
  pipeline,
  stage,
} from '../../test/draw/sample-machines.ts'
import { pictureOf } from '../core/draw/picture.ts'
import { printSvg, svgEdgesMax, svgNodesMax } from './draw-svg.ts'
import { widthOf } from './draw-svg-font.ts'
import { layOutSvg } from './draw-svg-layout.ts'

type Rect = { x: number; y: number; width: number; height: number }

function overlaps(a: Rect, b: Rect): boolean {
  return a.x < b.x + b.width && b.x < a.x + a.width && a.y < b.y + b.height && b.y < a.y + a.height
}

/** Whether every tag that opens also closes, in order. */
function isWellFormed(svg: string): boolean {
  const open: string[] = []
  for (const [tag, close, name, self] of svg.matchAll(/<(\/?)([a-z]+)[^<>]*?(\/?)>/gu)) {
    if (tag === undefined || self === '/') continue
    if (close === '/' && open.pop() !== name) return false
    if (close === '') open.push(name ?? '')
  }
  return open.length === 0
}

test('no boxes or labels overlap each other', async () => {
  for (const make of [pipeline, fullPipeline, gateChecklist, form]) {
    const layout = await layOutSvg(pictureOf(make()), 'down')
    const labels = layout.edges.flatMap((edge) => (edge.label ? [edge.label] : []))
    const rects = [...layout.nodes.values(), ...labels].map(({ x, y, box }) => ({
      x,
      y,
      width: box.width,
      height: box.height,
    }))
    for (const [index, rect] of rects.entries()) {
      for (const other of rects.slice(index + 1)) expect(overlaps(rect, other)).toBe(false)
    }
  }
})

test('the picture shows titles, facts, labels, gates and a legend of what occurs', async () => {
  const svg = await printSvg(pictureOf(fullPipeline()))
  for (const text of [
    '>deploy-pipeline<',
    '>planning<',
    '>Read, Grep, Glob<',
    '>EVALUATE<',
    '>[deploy_ready]<',
    '>Deployment finished. Start the smoke<',
    '>when db/migrations/**/*.sql changes<',
    '>back to where it started<',
    '>all branches done<',
    '>needs approval<',
    '>branches start or join<',
    '>test_result = &quot;pass&quot;<',
  ]) {
    expect(svg).toContain(text)
  }
  const small = await printSvg(pictureOf(form()))
  expect(small).not.toContain('needs approval')
  expect(small).not.toContain('branches start or join')
})

test('hostile text stays text and the file stays well-formed', async () => {
  for (const make of [hostile, fullPipeline, form]) {
    expect(isWellFormed(await printSvg(pictureOf(make())))).toBe(true)
  }
  const svg = await printSvg(pictureOf(hostile()))
  expect(svg).not.toContain('<script')
  expect(svg).toContain('&lt;/text&gt;&lt;script&gt;')
  expect(svg.length).toBeLessThan(40_000)
})

test('the file needs nothing from outside and runs nothing', async () => {
  const svg = await printSvg(pictureOf(fullPipeline()))
  const rest = svg.replace('xmlns="http://www.w3.org/2000/svg"', '')
  expect(rest).not.toMatch(/https?:|url\(|@import|<script|<image|href|\son\w+=/u)
})

test('dark surroundings are followed unless only light is asked for', async () => {
  const picture = pictureOf(form())
  expect(await printSvg(picture)).toContain('prefers-color-scheme:dark')
  expect(await printSvg(picture, { themes: 'light' })).not.toContain('prefers-color-scheme')
})

test('the same picture gives the same bytes', async () => {
  const picture = pictureOf(fullPipeline())
  expect(await printSvg(picture)).toBe(await printSvg(picture))
})

test('a picture to the right is wider and less high', async () => {
  const size = async (direction: 'down' | 'right'): Promise<[number, number]> => {
    const svg = await printSvg(pictureOf(gateChecklist()), { direction })
    const [, width, height] = /width="(\d+)" height="(\d+)"/u.exec(svg) ?? []
    return [Number(width), Number(height)]
  }
  const [downWidth, downHeight] = await size('down')
  const [rightWidth, rightHeight] = await size('right')
  expect(rightWidth).toBeGreaterThan(downWidth)
  expect(rightHeight).toBeLessThan(downHeight)
})

test('too many boxes or arrows are refused with what to use instead', async () => {
  const tooLong = pictureOf(long(svgNodesMax + 1))
  await expect(printSvg(tooLong)).rejects.toMatchObject({
    code: 'USAGE',
    hint: 'draw it as `dot` or `mermaid` instead',
  })
  const names = Array.from({ length: 30 }, (_, index) => `s${index}`)
  const dense = names.map((name) =>
    stage(name, { on: on(Object.fromEntries(names.map((n) => [n, n]))) }),
  )
  const tooDense = pictureOf(machine('dense', dense))
  expect(tooDense.edges.length).toBeGreaterThan(svgEdgesMax)
  await expect(printSvg(tooDense)).rejects.toMatchObject({ code: 'USAGE' })
})

test('a machine with a single stage can be drawn', async () => {
  const svg = await printSvg(pictureOf(machine('one', [stage('only')])))
  expect(svg).toContain('>only<')
})

test('width follows the metrics of the font', () => {
  const font = { sizePx: 10, weight: 'regular' as const }
  expect(widthOf('il', font)).toBeCloseTo(4.44)
  expect(widthOf('WW', font)).toBeCloseTo(18.88)
  expect(widthOf('日', font)).toBeCloseTo(10)
  expect(widthOf('~', { sizePx: 10, weight: 'bold' })).toBeCloseTo(5.84)
})
