/**
 * The files a host should have, and the entries in them. Data only; built by the files in
 * `hosts/`.
 */
import type { Json } from '../../core/json.ts'

/** What the entries of this machine are made of. */
export type SetupContext = {
  readonly workspace: string
  /** The file for hooks of the user, from the home on or absolute; null: hooks of a workspace. */
  readonly userFile: string | null
  /** The version that the host told; null: not known. */
  readonly version: string | null
  /** The program that runs Pawl, and Pawl itself. */
  readonly node: string
  readonly program: string
  /** The data directory. */
  readonly home: string
  /** A shell text that asks Pawl. */
  readonly hookCommand: string
  /** The same for the end of a turn or a session: where it fails, the agent may stop. */
  readonly stopCommand: string
  /** Where HTTP hooks go; null: command hooks only. */
  readonly http: { readonly url: string; readonly token: string } | null
  /** Whether the workspace has a file: some hosts have two names for the same one. */
  readonly isThere: (path: string) => boolean
}

/** What a host needs that its descriptor can't say. */
export type HostSetup = {
  readonly wireOf: (setting: SetupContext) => 'http' | 'command'
  readonly wants: (setting: SetupContext) => readonly DesiredFile[]
  /** What a person has to know, or do, beside it. */
  readonly remarks: (setting: SetupContext) => readonly string[]
  /** For a host that skips hooks until its user trusts them; null: it runs them all. */
  readonly trust: HookTrust | null
}

type HookTrust = {
  /** Has the host trust Pawl's hooks; the answer is a line for the user. */
  readonly grant: (place: TrustPlace) => Promise<string>
  /** What is wrong; nothing: the hooks are trusted. Changes nothing. */
  readonly problems: (place: TrustPlace) => Promise<readonly string[]>
}

export type TrustPlace = {
  /** The file of the host's program; null: it was not found. */
  readonly program: string | null
  readonly workspace: string
  readonly env: Readonly<Record<string, string | undefined>>
}

export type DesiredFile = {
  /** From the workspace on, or absolute. */
  readonly path: string
  /** `secret`: it holds a token, and only its owner may read it. */
  readonly mode: 'plain' | 'secret'
  readonly content: DesiredFiles
}

export type DesiredFiles =
  | { readonly kind: 'json'; readonly entries: readonly SettingsEntry[] }
  /** Lines of ours between two marks, in a text whose remarks begin with `#`. */
  | {
      readonly kind: 'block'
      /** Tells it from other blocks of ours in the same text. */
      readonly name: string
      readonly lines: readonly string[]
      /** Whatever of this stands outside of our block is somebody else's, and in the way. */
      readonly rival: RegExp | null
    }
  /** Tables `[[hooks]]` of ours in settings of TOML. */
  | { readonly kind: 'tables'; readonly name: string; readonly lines: readonly string[] }
  | { readonly kind: 'whole'; readonly text: string }

export type SettingsEntry =
  | { readonly kind: 'item'; readonly path: readonly string[]; readonly value: Json }
  | { readonly kind: 'member'; readonly path: readonly string[]; readonly value: Json }
  /** One that may be somebody else's: then it stays, and a person is told these words. */
  | {
      readonly kind: 'offer'
      readonly path: readonly string[]
      readonly value: Json
      readonly otherwise: string
    }
  /** A server that stands behind the gateway instead. */
  | { readonly kind: 'drop'; readonly path: readonly string[] }
  /** What the host needs beside our entries; never taken out of what others use. */
  | { readonly kind: 'need'; readonly path: readonly string[]; readonly value: Json }
