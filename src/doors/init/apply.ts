/** Applies a plan host by host, and records what was written. */
import type { Install } from './install.ts'
import { type HostPlan, isSameInstall } from './plan-host.ts'
import type { SetupDoor } from './setup-door.ts'
import { removeFolders, secretMode, writeWorkspaceFiles } from './write-files.ts'

/** Writes the files of a host, all or none, and what was written into the list of installs. */
export function applyInit(plan: HostPlan, setup: SetupDoor, at: number): Install {
  const { workspace, known, host, found, wire, scope } = plan
  const changes = plan.files.map((file) => ({
    ...file,
    mode: file.mode === 'secret' ? secretMode : null,
  }))
  const { folders, modes } = writeWorkspaceFiles(workspace, changes)
  // Whoever has asked for them once keeps them.
  const isUnasked = plan.withFolders === true && (known === null || known.withFolders === true)
  const install: Install = {
    workspace,
    ...(scope === undefined ? {} : { scope }),
    ...(isUnasked ? { withFolders: true } : {}),
    host,
    hostVersion: found.version,
    wire,
    at,
    files: plan.files.flatMap(({ note, path }) => {
      if (note === null) return []
      const before = known?.files.find((one) => one.path === path)?.mode ?? null
      return [{ ...note, mode: before ?? modes.get(path) ?? null }]
    }),
    folders: [...new Set([...(known?.folders ?? []), ...folders])],
    ...(plan.moved === undefined ? {} : { moved: plan.moved }),
  }
  setup.writeInstalls([...othersThan(plan, setup), install])
  return install
}

/** Takes the entries of a host out, and the host out of the list of installs. */
export function applyUninit(plan: HostPlan, setup: SetupDoor): void {
  const { workspace, known, files } = plan
  const modeOf = (path: string): number | null =>
    known?.files.find((one) => one.path === path)?.mode ?? null
  writeWorkspaceFiles(
    workspace,
    files.map((file) => ({ ...file, mode: modeOf(file.path) })),
  )
  removeFolders(workspace, known?.folders ?? [])
  if (known !== null) setup.writeInstalls(othersThan(plan, setup))
}

function othersThan(plan: HostPlan, setup: SetupDoor): readonly Install[] {
  return setup.readInstalls().filter((one) => !isSameInstall(one, plan))
}
