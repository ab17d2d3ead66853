// Makes the tables of docs/rules.md that the code has: where text is read, and the injection rules. Checks that the page has every
// member of a policy, and the guide every rule.
import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import * as z from 'zod'
import { PolicyDocumentSchema } from '../../src/policies/document/policy-document.ts'
import { POLICY_IDS } from '../../src/policies/rules/index.ts'
import { INJECTION_RULES } from '../../src/scanning/injection/find-injections.ts'
import { INJECTION_RULE_IDS } from '../../src/scanning/injection/rule-ids.ts'
import { TEXT_PLACES, type TextPlace } from '../../src/scanning/texts/request-texts.ts'
import { markdownTable, withTable } from '../support/markdown-table.ts'

const PAGE = 'docs/rules.md'
const page = readFileSync(PAGE, 'utf8')

const PLACES: Readonly<Record<TextPlace, string>> = {
  message_text: 'instructions, messages of every role, refusals, results of tools',
  participant_name: '`name` of a message',
  image_address: 'the address of a picture; of a data URL the part before the data',
  file_address: 'the same of a file',
  file_name: '`filename`',
  file_text: 'the text of a `text/…` file',
  thought: 'thoughts that are sent back',
  call_id: 'ids of calls and their results',
  call_name: 'names of called functions',
  call_arguments: 'arguments of earlier calls',
  tool_name: 'names of tools',
  tool_description: 'descriptions of tools',
  tool_schema: 'arguments of tools: descriptions, enums, defaults, examples, names',
  tool_grammar: 'grammars of tools that take free text',
  format_name: 'the name of the answer’s format',
  format_description: 'its description',
  format_schema: 'its schema',
  search_place: 'country, region, city and time zone of a web search',
  stop_sequence: '`stop`',
  user: '`user`',
  unread: 'members of a message that are passed on as they came',
}

const REDACTION = { replace: 'replaced', leave_out: 'sent without thoughts', refuse: 'refused' }

const READ_AS = { said: 'by role', definition: 'as definition' }

const placesTable = markdownTable(
  ['place', 'text', '`redact`', '`prompt_injection_guard`', 'counted'],
  Object.entries(TEXT_PLACES).map(([place, { redaction, injection, counted }]) => [
    `\`${place}\``,
    PLACES[place as TextPlace],
    REDACTION[redaction],
    injection === null ? 'not read' : READ_AS[injection],
    counted ? 'yes' : 'no',
  ]),
)

const injectionsTable = markdownTable(
  ['rule', 'finds'],
  INJECTION_RULE_IDS.map((id) => [`\`${id}\``, INJECTION_RULES[id].says]),
)

it(`${PAGE} has every place of text and every injection rule`, async () => {
  const withPlaces = withTable(page, 'places', placesTable)
  await expect(withTable(withPlaces, 'injections', injectionsTable)).toMatchFileSnapshot(`../../${PAGE}`)
})

const isObject = (schema: unknown): schema is z.ZodObject => schema instanceof z.ZodObject
const innerOf = (schema: unknown): unknown => (schema instanceof z.ZodOptional ? schema.unwrap() : schema)

const MEMBERS = Object.entries(PolicyDocumentSchema().shape).flatMap(([rule, schema]) => {
  const inner = innerOf(schema)
  const members = isObject(inner) ? Object.keys(inner.shape) : []
  return [rule].concat(members).map((member) => [rule, member] as const)
})

it.each(MEMBERS)('the tables of rules have %s: %s', (rule, member) => {
  const lines = page.split('\n').filter((line) => line.startsWith('|'))
  const start = lines.findIndex((line) => line.startsWith(`| \`${rule}\` `))
  expect(start).toBeGreaterThanOrEqual(0)
  const end = lines.findIndex((line, at) => at > start && /^\| (?:`|-|[a-z])/.test(line))
  expect(lines.slice(start, end).join('\n')).toContain(`\`${member}\``)
})

it.each(POLICY_IDS)('the guide has what refuses by %s', (rule) => {
  expect(readFileSync('docs/set-policy.md', 'utf8')).toMatch(new RegExp(`^\\| \`${rule}\` +\\|.*\\| 4\\d\\d \``, 'm'))
})
