/**
 * What Pawl has to know about a host, as data: one descriptor for each, from which every list and
 * pattern about hosts is derived. `docs/contributing/adding-a-host.md` explains how to write one.
 * Must not parse or print: that is the business of the doors.
 */
import type { CommonTool } from './common-tools.ts'

/** A field that does not apply to a host, and why. */
export type NotApplicable = { readonly none: string }

/** Leaves a field of a descriptor out on purpose; the reason is for whoever reads it next. */
export function none(reason: string): NotApplicable {
  return { none: reason }
}

/** One or more texts, or a reason why there are none. */
export type Texts = readonly string[] | NotApplicable

/**
 * Tools for the host's own bookkeeping. They are free in every stage, unless a definition or a
 * policy forbids them, so a tool belongs here only if it does nothing outside of the host and
 * cannot carry code: what a sub-agent or a command does in the end is judged on its own.
 */
export type FreeTools = {
  /** Todo lists, topics, plans and goals. */
  readonly notes: Texts
  /** Finding and loading tools that the host holds back: Pawl's own may be among them. */
  readonly search: Texts
  /** What has begun and was judged then: waiting for it, telling it more, ending it. */
  readonly started: Texts
  /** Listing and reading what MCP servers offer as resources. */
  readonly resources: Texts
  /** The field in which such a call says which server it means. */
  readonly serverField: string | NotApplicable
}

type LookingToolName = Extract<CommonTool, 'Read' | 'Grep' | 'Glob' | 'LS'>

/** How the tools of a host are spelled. */
type ToolNames = {
  /** The host's names of the common tools. A name means the same tool on every host. */
  readonly common: Readonly<Partial<Record<CommonTool, readonly string[]>>>
  /** The tool that runs a shell command; `pawl judge --bash` calls it. */
  readonly shell: string
  /** Tools whose input is a patch: both `Edit` and `Write` in a definition mean them. */
  readonly patches: Texts
  /** Tools for editing that only read when their `command` is `view`. */
  readonly viewers: Texts
  /**
   * How tools of MCP servers are named, beside `mcp__server__tool`, which is understood everywhere.
   */
  readonly servers: { readonly prefix: string; readonly separator: string } | NotApplicable
  /** What becomes of a dash in the name of a server. */
  readonly dashes: 'kept' | 'underscores'
  /**
   * Common tools for looking that it does not have, so that its shell stands in for them: who
   * allows `Grep` allows `grep` and `rg` there.
   */
  readonly lacks: readonly LookingToolName[] | NotApplicable
  /** Bookkeeping, which needs no entry in a list of tools. */
  readonly free: FreeTools | NotApplicable
}

/** A set of tool names that a call may be spelled in, whether or not a program stands behind it. */
export type ToolVocabulary = {
  /** The id used on the wire, in settings and on the command line. */
  readonly id: string
  /** The name that people know it by. */
  readonly title: string
  readonly tools: ToolNames
}

/** What an event of a host means to Pawl. */
export const hookMeanings = [
  /** Before a call: the one moment at which it can be stopped. */
  'call',
  /** The host is about to ask its user about a call. */
  'permission',
  /** A call has ended. */
  'report',
  /** A call has failed. */
  'failure',
  /** The host does not make a call, after `call` has let it through. */
  'declined',
  /** The user, or the host in their place, has sent a prompt. */
  'prompt',
  /** A session begins, or its context was compacted. */
  'begin',
  'end',
  /** The agent wants to stop. */
  'stop',
  'agent-begin',
  'agent-stop',
  /** The settings of the host have changed. */
  'config',
  /** Known, and of no interest. An event that no meaning lists is refused. */
  'nothing',
] as const
export type HookMeaning = (typeof hookMeanings)[number]

/** A path pattern has lower-case segments, `*` inside of a segment, and `/**` at its end. */
type ProtectedFiles = {
  /** In whatever folder they are. */
  readonly anywhere: readonly string[]
  /** In a home folder. */
  readonly home: Texts
  /** From the root of the disk, without the leading slash. */
  readonly root: Texts
}

type UserHooks = {
  /** Its folder in the home of the user. */
  readonly folder: string
  /** The variable that names another folder in its place, and what to add to that. */
  readonly variable: { readonly name: string; readonly below: string } | NotApplicable
  /** The file in that folder. */
  readonly file: string
  /** The variable that tells a hook where the host was started, if that is not its own folder. */
  readonly startVariable: string | NotApplicable
}

/** A setting, as a path with dots, and the value by which it turns hooks off. */
export type OffSwitch = { readonly setting: string; readonly value: boolean | 'lists pawl' }

/** How a host is told of settings that lie outside of the project. */
export type BoxSettingsWay =
  /** Flags name the file with hooks and the one with servers. */
  | { readonly kind: 'files'; readonly hooks: string; readonly servers: string }
  /** A variable names a file with both, in place of the one that the machine has. */
  | { readonly kind: 'variable'; readonly name: string; readonly instead: string }
  /** A variable names a file with servers, and with a list of plugins under this member. */
  | { readonly kind: 'plugins'; readonly variable: string; readonly list: string }
  /** A flag sets a setting; hooks that are set so are trusted by their hashes. */
  | { readonly kind: 'overrides'; readonly flag: string; readonly trust: string }

type HooksOff = { readonly flags: readonly string[]; readonly variables: Texts }

/** An agent host: a program that runs an agent and asks Pawl about its calls. */
export type HostDescriptor = ToolVocabulary & {
  /** The program that starts it. A run does not let its agent start another one. */
  readonly program: string
  /** The npm packages that bring the program. */
  readonly packages: Texts
  /** A command for a first try, which asks the agent to write a file. */
  readonly tryCommand: string

  /**
   * The name under which its model is offered a common tool, unless its user has chosen otherwise.
   * A common tool that is not here is not offered, whatever `tools` understands; texts for the
   * agent do not name it.
   */
  readonly offered: Readonly<Partial<Record<CommonTool, string>>>

  /** It reads the list of MCP tools once, so what a later stage allows has to be on it. */
  readonly readsToolsOnce?: true

  /** Its folder in a workspace, which counts as protected itself. */
  readonly folder: string
  /** The file that `pawl init` writes the hooks into; none: it has hooks of its user only. */
  readonly hooksFile: string | NotApplicable
  /** The file that `pawl init` registers the MCP server in. */
  readonly serversFile: string
  /** The member of that file that holds the MCP servers. */
  readonly serversKey: string | NotApplicable
  /** Where it reads hooks that count in every folder. `pawl init --user` writes them there. */
  readonly userHooks: UserHooks | NotApplicable
  /** Settings by which its user turns hooks off. `pawl doctor` looks for them. */
  readonly offSwitches: readonly OffSwitch[] | NotApplicable
  /**
   * Settings of other scopes in which hooks can be turned off, as JSON: in a workspace, in the home
   * of the user (`~/`), or absolute.
   */
  readonly otherSettings: readonly string[] | NotApplicable
  /** The file that holds Pawl's token, which no agent may read: a folder and a name. */
  readonly tokenFile: string | NotApplicable
  /** Files that no agent may change: they configure the host, or it runs what is in them. */
  readonly protectedFiles: ProtectedFiles
  /**
   * Words of which every protected path holds one. A call without a run whose input has none of
   * them is free without a closer look.
   */
  readonly pathWords: readonly string[]
  /** What jobs cannot see in the home of the user: settings, sessions, keys. */
  readonly hiddenInHome: readonly string[]
  /** What jobs cannot change in a workspace. */
  readonly readOnlyInWorkspace: readonly string[]

  /** What it needs in a box (`pawl run`). */
  readonly box: {
    /** Where it keeps sessions, sign-ins and settings, in the home of the user. */
    readonly state: readonly string[]
    /** What configures it there, which it cannot change: later sessions would do what it says. */
    readonly guides: readonly string[]
    /** Guides in a workspace: it fails on a folder there, but not on an empty file. */
    readonly emptyFiles: readonly string[] | NotApplicable
    /** Variables that it is given: their names begin so. */
    readonly variables: readonly string[]
    readonly settings: BoxSettingsWay | NotApplicable
    /** Flags and variables with which it would not ask the hooks of a box: it is not started so. */
    readonly hooksOff: HooksOff | NotApplicable
  }

  /** Variables that the host sets in what its shell tool runs. */
  readonly environmentMarks: Texts
  /** The names of its events, by what they mean. */
  readonly events: Readonly<Record<HookMeaning, Texts>>
  /** The events that `pawl init` installs hooks for, in the order in which they are written. */
  readonly installedEvents: Texts
  /** How a hook reaches Pawl, the preferred way first. */
  readonly wires: readonly ('http' | 'command')[]
  /** Whether a hook can have the host ask its user, and the call waits for the answer. */
  readonly canAskUser: boolean
  /** Whether a hook can write into the input of a call to Pawl's own tools who calls. */
  readonly canMarkCalls: boolean
  /** How long a hook may keep a call waiting: less than the time after which the host goes on. */
  readonly waitSecondsMax: number

  readonly model: {
    /** The servers that its models are on. */
    readonly endpoints: Texts
    /** The variable that leads it to another server. */
    readonly baseUrlVariable: string | NotApplicable
  }

  /** What hooks cannot stop on this host, and what does. `pawl doctor` prints it. */
  readonly limits: readonly string[]
  /** The version that `npm run test:hosts` and `pawl doctor --prove` were tried with. */
  readonly proof: { readonly version: string } | NotApplicable
}
