// Draws two sections of the report. The first has the controls with their verdicts, how the failing ones would pass, and people's
// statements; the second has each control's evidence.
import type { TextRun } from '../../pdf/layout/break-lines.ts'
import { CAUSE_NAMES } from '../../controls/stated-cause.policy.ts'
import type { ComplianceReport, Control } from '../report.schema.ts'
import { column, type Block, type Section } from './section-blocks.ts'
import { count, threeDigits, moment, CONTROL_STATE_STYLES } from './report-formats.ts'
import { readNames, type Readable } from './readable-names.ts'
import { BODY, GAP, MUTED, NOTE, SMALL, SMALL_STRONG, STRONG } from './report-styles.ts'

export const controlsSection = (report: ComplianceReport): Section => ({
  title: 'The controls',
  isOnNewPage: true,
  blocks: [
    {
      paragraph:
        'Each control asks one thing of what this service has written down. It passes or fails; it is explained where a person has made a statement about what was found; it does not apply where there is no data; and it needs a person where nothing here can show it. Weight 3 is for what the record cannot be trusted without, 2 for what an article names, 1 for good practice; what needs a person has none and is never counted. A weight in brackets is lost where the control fails, and not earned where it passes: the service, an export or a comparison makes it pass.',
    },
    { verdicts: report.controls },
    {
      gap: GAP + 4,
      table: {
        caption: `Checklist ${report.checklist}`,
        hasRowHeads: true,
        columns: [
          column('Control', 9),
          column('What it is about', 44),
          column('Sources', 24),
          { head: 'Weight', share: 9, align: 'center' },
          column('Verdict', 18),
        ],
        rows: report.controls.map(({ id, title, sources, weight, earns, state }) => [
          [{ text: id, type: SMALL_STRONG }],
          title,
          sources.join(', '),
          weight === 0 ? '–' : earns ? String(weight) : `(${weight})`,
          [
            {
              text: `${CONTROL_STATE_STYLES[state].sign} ${CONTROL_STATE_STYLES[state].word}`,
              type: { ...SMALL_STRONG, colour: CONTROL_STATE_STYLES[state].ink },
            },
          ],
        ]),
      },
    },
    ...remedies(report),
    ...statements(report, readNames(report)),
  ],
})

function remedies({ controls }: ComplianceReport): Block[] {
  const failing = controls.filter(({ state }) => state === 'fail')
  if (failing.length === 0) return []
  const list = failing.map(({ id, title, would_pass: remedy }): TextRun[] => [
    { text: `${id} ${title}. `, type: STRONG },
    { text: remedy, type: BODY },
  ])
  return [{ part: 'What would make the failing controls pass' }, { list }]
}

const statements = ({ statements: stated }: ComplianceReport, readable: Readable): Block[] => [
  { part: 'Statements of people' },
  {
    paragraph:
      'What a person of the organisation stated, as it was written. The service checks none of it, and none of it raises the score.',
  },
  stated.length === 0
    ? { paragraph: 'Nobody has made one.', gap: 4 }
    : {
        table: {
          hasRowHeads: true,
          columns: [column('About', 24), column('Statement', 54), column('Stated by', 22)],
          rows: stated.map(({ subject, text, looked_at: source, cause, date, stated_by: person, stated_at: at }) => [
            [{ text: readable.subject(subject), type: SMALL_STRONG }],
            [
              ...(cause === null ? [] : [`Cause: ${CAUSE_NAMES[cause].toLowerCase()}.`]),
              text,
              `Looked at: ${source}`,
              ...(date === null ? [] : [`(of ${date})`]),
            ].join('\n'),
            `${capitalised(readable.text(person))}\n${moment(at)}`,
          ]),
        },
      },
]

const capitalised = (text: string): string => text.replace(/^./, (first) => first.toUpperCase())

export function evidenceSection(report: ComplianceReport): Section {
  const { controls } = report
  const readable = readNames(report)
  const times = [...new Set(controls.map(({ checked_at: at }) => moment(at)))]
  return {
    title: 'The evidence',
    follows: 220,
    blocks: [
      {
        paragraph: `What was asked for each control, and what was found. Positions are of entries in the organisation’s log.${times.length === 1 ? ` All was looked up on ${times.join('')}.` : ''}`,
      },
      {
        table: {
          hasRowHeads: true,
          columns: [column('Control', 19), column('Asked', 46), column('Found', 39)],
          rows: controls.map((control) => [
            nameAndState(control),
            question(control),
            findings(control, readable, times.length > 1),
          ]),
        },
      },
    ],
  }
}

const nameAndState = ({ id, state }: Control): TextRun[] => [
  { text: `${id}\n`, type: SMALL_STRONG },
  { text: CONTROL_STATE_STYLES[state].word, type: { ...SMALL, colour: CONTROL_STATE_STYLES[state].ink } },
]

const question = ({ title, evidence: { query, link } }: Control): TextRun[] => [
  { text: `${title}\n`, type: SMALL_STRONG },
  { text: query, type: SMALL },
  ...(link === undefined ? [] : [{ text: `\n${link}`, type: NOTE }]),
]

function findings(
  { reason, evidence: { values, positions }, checked_at: at }: Control,
  readable: Readable,
  showsTime: boolean,
): TextRun[] {
  const found: TextRun[] = []
  const line = (...runs: TextRun[]): void => {
    if (found.length > 0) found.push({ text: '\n', type: SMALL })
    found.push(...runs)
  }
  if (reason !== null) line({ text: reason, type: SMALL })
  for (const [name, value] of Object.entries(values ?? {}).toSorted(byName)) {
    line(
      { text: `${name.replaceAll('_', ' ')}: `, type: { ...SMALL, colour: MUTED } },
      { text: formatValue(value, readable), type: SMALL },
    )
  }
  if (positions !== undefined && positions.length > 0) line({ text: positionsOf(positions), type: SMALL })
  if (found.length === 0) line({ text: 'Nothing.', type: SMALL })
  if (showsTime) line({ text: moment(at), type: NOTE })
  return found
}

/** Sorts members by name. JSON may order them in any way, but the same report must give the same document. */
const byName = ([first]: [string, unknown], [second]: [string, unknown]): number => (first < second ? -1 : 1)

type Value = NonNullable<Control['evidence']['values']>[string]

function formatValue(value: Value, readable: Readable): string {
  if (value === null) return 'none'
  if (typeof value === 'boolean') return value ? 'yes' : 'no'
  if (typeof value === 'number') return threeDigits(value)
  if (typeof value === 'string') return /^\d{4}-\d\d-\d\dT/.test(value) ? moment(value) : readable.text(value)
  return value.length === 0 ? 'none' : readable.list(value)
}

/** At most this many positions are printed; the JSON has all. */
const MOST_POSITIONS = 12

function positionsOf(positions: readonly number[]): string {
  const some = positions.slice(0, MOST_POSITIONS).map(count).join('; ')
  const more = positions.length - MOST_POSITIONS
  return `at positions ${some}${more > 0 ? ` and ${count(more)} more` : ''}`
}
