// Contract checks of identifiers: a letter with one is refused by shape and offset, and the answer never repeats it. Every value
// is a published specimen, from a range reserved for tests or drama, or has a wrong check digit.
import { checksOf, messageOf, type CheckSource, type CheckRow } from './contract-check.ts'
import type { Answer } from './deployment.ts'
import { schemaDifferences, memberOf } from './json-answers.ts'
import { INVENTED_WORD, readCall } from './read.checks.ts'
import { IdentifiersSchema } from './response-schemas.ts'
import { SHAPE_SAMPLES } from '../shape-samples.ts'

/** The message's sentence about storage. A refusal is a log entry, so “nothing is stored” alone would be untrue. */
const WHAT_IS_KEPT = 'The text was not read or stored; the refusal, its time and the shapes were recorded.'

// Clinical shorthand that looks like a number or a date and is neither.
const NO_IDENTIFIER = [
  `Dear Doctor, re: this 54 year old ${INVENTED_WORD} lady with a 3/12 history of pain at L4/5, worse for 2/52.`,
  'BP 120/80, GCS 15/15, power 4/5, G2P1, EDD at 38+4/40, VA 6/12, HbA1c 48, platelets 150000, T12 tender.',
  'Insulin 10-8-12 units, benzathine penicillin 2400000 U. I would be grateful for your opinion.',
].join(' ')

// A character outside the basic plane. Offsets counted in UTF-16 units would be wrong by one for each such character.
const ASTRAL = '🩺'.repeat(40)

type Planted = { readonly shape: string; readonly identifier: string; readonly start: number; readonly end: number }

/** Makes a letter with these identifiers. Returns it with their offsets in code points. */
function plantIdentifiers(forms: readonly (readonly [shape: string, label: string, identifier: string])[]) {
  let text = `Dear Doctor, ${ASTRAL} re: this 54 year old ${INVENTED_WORD} lady`
  const planted: Planted[] = []
  for (const [shape, label, identifier] of forms) {
    text += `. We have ${label}`
    const start = Array.from(text).length
    text += identifier
    planted.push({ shape, identifier, start, end: start + identifier.length })
  }
  return { text: `${text}. I would be grateful for your opinion.`, planted }
}

function identifierDifferences(answer: Answer, planted: readonly Planted[]): readonly string[] {
  const given = memberOf(answer.json, 'error', 'identifiers')
  const misshapen = schemaDifferences(IdentifiersSchema, given)
  if (misshapen.length > 0) return misshapen.map((difference) => `error.identifiers: ${difference}`)
  const found = IdentifiersSchema.parse(given)
  const storageDifferences = messageOf(answer).includes(WHAT_IS_KEPT)
    ? []
    : ['error.message does not say what is kept of the refusal']
  const wrong = planted.flatMap(({ shape, identifier, start, end }, index) => {
    const covered = found.some((each) => each.shape === shape && each.start <= start && each.end >= end)
    return [
      ...(covered ? [] : [`form ${index + 1} of ${planted.length} (${shape} at ${start} to ${end}) is not covered`]),
      ...(answer.text.includes(identifier) ? [`the answer repeats the ${shape}`] : []),
    ]
  })
  return [...storageDifferences, ...wrong]
}

function identifierRow(name: string, forms: readonly (readonly [string, string, string])[]): CheckRow {
  const { text, planted } = plantIdentifiers(forms)
  return [name, 'identifier_found', readCall({ text }), (answer) => identifierDifferences(answer, planted)]
}

export const identifierChecks: CheckSource = () => {
  const byShape = Object.entries(SHAPE_SAMPLES).flatMap(([shape, sample]) =>
    'specimens' in sample ? [sample.specimens.map(([label, identifier]) => [shape, label, identifier] as const)] : [],
  )
  const oneOfEach = byShape.flatMap((forms) => forms.slice(0, 1))
  return checksOf('identifiers', [
    ...byShape.map((forms) => identifierRow(forms[0]?.[0] ?? '', forms)),
    identifierRow('all eleven in one letter', oneOfEach),
    ['clinical shorthand is no identifier', 'not_an_example', readCall({ text: NO_IDENTIFIER })],
  ])
}
