// Vite plugin that gives pages names and words as JSON, where the code that has them is long: a module a table.
import type { Plugin } from 'vite'
import { ANSWERS_RULE } from '../../src/policies/rules/pii-scan.rule.ts'
import { ANSWERS_NAME } from '../../src/policies/rules/pii-scan.words.ts'
import { SIMULATED_RULES } from '../../src/policies/document/simulate-call.ts'
import { RULE_WORDS, STOPPING_RULES } from '../../src/policies/rules/words.ts'
import { SHAPE_TABLE } from '../../src/scanning/identifiers/shapes/index.ts'
import { catalogueModels } from '../../src/providers/model-catalogue.ts'
import { FAILURE_CAUSES } from '../../src/providers/failure.ts'
import { PROVIDERS } from '../../src/providers/provider-registry.ts'

/** The headings of the groups of shapes, on the policy page. */
const HEADINGS = {
  person: 'Patient and person',
  contact: 'Contact and address',
  money: 'Money',
  secret: 'Secrets',
}

const shapes = SHAPE_TABLE.map(({ id, group, name }) => ({ id, group: HEADINGS[group], name }))

const MODULES: Readonly<Record<string, () => unknown>> = {
  /** The words for the causes of failed calls. */
  'virtual:failure-causes': () => FAILURE_CAUSES,
  /** The models that the gateway offers, as GET /v1/models lists them to keys. */
  'virtual:model-names': () => catalogueModels().flatMap((model) => (model.gateway ? [model.id] : [])),
  'virtual:provider-labels': () => Object.fromEntries(PROVIDERS.map(({ id, label }) => [id, label])),
  /** The names of rules, the ids of those that may stop a call, and the words for the reasons of their refusals. */
  'virtual:rule-names': () => ({
    rules: {
      ...Object.fromEntries(RULE_WORDS.map(({ id, name }) => [id, name])),
      [ANSWERS_RULE]: ANSWERS_NAME,
    },
    stopping: STOPPING_RULES,
    reasons: Object.fromEntries(RULE_WORDS.flatMap(({ reasons = {} }) => Object.entries(reasons))),
  }),
  'virtual:simulated-rules': () => SIMULATED_RULES,
  /** The shapes that a scan finds, group by group. */
  'virtual:shape-words': () => [...Map.groupBy(shapes, ({ group }) => group).values()].flat(),
}

export const nameModules: Plugin = {
  name: 'name-modules',
  resolveId: (id) => (id in MODULES ? `\0${id}` : null),
  load: (id) => {
    const table = MODULES[id.slice(1)]
    return table === undefined || !id.startsWith('\0') ? null : `export default ${JSON.stringify(table())}`
  },
}
