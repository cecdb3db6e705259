/** Templates for work that many people have: the examples that come with Pawl, with evidence. */
import dataMigration from '../../examples/workflow/data-migration.yaml?raw'
import dependencyUpgrade from '../../examples/workflow/dependency-upgrade.yaml?raw'
import documentationChange from '../../examples/workflow/documentation-change.yaml?raw'
import featureWithPlan from '../../examples/workflow/feature-with-plan.yaml?raw'
import incidentFix from '../../examples/workflow/incident-fix.yaml?raw'
import refactor from '../../examples/workflow/refactor.yaml?raw'
import bugFix from '../../examples/workflow/tdd-bug-fix.json?raw'

const templates = [
  {
    title: 'Bug fix, test first',
    about: 'A test fails, the smallest change makes it pass, and a person merges.',
    source: bugFix,
  },
  {
    title: 'Feature with a plan',
    about: 'A person approves the plan before any code is written.',
    source: featureWithPlan,
  },
  {
    title: 'Refactoring',
    about: 'The same tests pass before and after, and none of them is changed.',
    source: refactor,
  },
  {
    title: 'Dependency upgrade',
    about: 'One package moves to a new version, and all tests pass with it.',
    source: dependencyUpgrade,
  },
  {
    title: 'Incident fix',
    about: 'A person opens the gate to the deploy, and Pawl sees the health check.',
    source: incidentFix,
  },
  {
    title: 'Documentation change',
    about: 'Only documents are written, and they still build.',
    source: documentationChange,
  },
  {
    title: 'Data migration',
    about: 'Rehearsed, backed up, approved, applied and verified.',
    source: dataMigration,
  },
] as const

/** Names the schema by its place in our repository, which means nothing elsewhere. */
const schemaLine = /^(# yaml-language-server: .*\n| *"\$schema": .*\n)/m

/** A title, a sentence and a definition each. */
export const workTemplates = templates.map((one) => {
  return { ...one, source: one.source.replace(schemaLine, '') }
})
