/** Folders with a prebuilt program for this machine, right or wrong, for tests. */
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Home } from '../home/home.ts'
import { hashOfText, type NativeProgram, prebuiltListName, sourcesHash } from './native-programs.ts'

type Put = {
  /** Null: the file is missing. */
  readonly content: string | null
  /** Absent: the right ones. */
  readonly sha256?: string
  readonly madeOf?: string
}

/** Puts a prebuilt program and its list into a new folder. */
export function putPrebuilt(home: Home, program: NativeProgram, put: Put): string {
  const folder = join(home.folder, 'prebuilt')
  const machine = `${process.platform}-${process.arch}`
  mkdirSync(join(folder, machine), { recursive: true })
  const { content, sha256 = hashOfText(content ?? ''), madeOf = sourcesHash(program) } = put
  const list = { [machine]: { [program.name]: { sha256, madeOf } } }
  writeFileSync(join(folder, prebuiltListName), JSON.stringify(list))
  if (content !== null) writeFileSync(join(folder, machine, program.name), content)
  return folder
}
