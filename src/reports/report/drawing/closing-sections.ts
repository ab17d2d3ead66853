// The report's closing sections: approvals, retention, the law, the report's limits, the signature. One tells how to check the
// report without trusting the service. HOW_TO_READ is the list after the contents.
import { whyText } from '../../../evidence/records/coverage-entry.ts'
import { groupByLaw } from '../law.ts'
import type { ComplianceReport } from '../report.schema.ts'
import { column, numericColumn, type Block, type Section } from './section-blocks.ts'
import { count, day, moment, plural } from './report-formats.ts'
import { GAP, SMALL_STRONG } from './report-styles.ts'

export const HOW_TO_READ = [
  'It tells what one gateway, Countersign, has evidence of: which calls to models were decided, how they ended, what they cost, and whether the record of them is whole. Calls that went to a model by another way are not in it.',
  'It is no legal advice, no certificate, and no finding that a law is kept or broken. What it cannot show has a section of its own, to be read before it is signed.',
  'Days and times are those of UTC. The first and the last day of the period are both in it.',
  'Costs are in euro, rounded to the cent. The report’s JSON has them to the millionth, and the values of each day.',
  'All of it is drawn from that JSON, the hash of which is an entry of the organisation’s log. How to check says how somebody can make sure of it who trusts neither this document nor the service.',
]

export function approvalsSection({ approvals }: ComplianceReport): Section {
  const title = 'Approvals by people'
  if (approvals.asked === 0) {
    return { title, follows: 30, blocks: [{ paragraph: 'No approval was asked for in the period.' }] }
  }
  return {
    title,
    follows: 220,
    blocks: [
      {
        paragraph:
          'A call that the policy holds back is sent again once a person has approved it, and at most once. Each decision has a signed record, which shows that the service recorded it, not who the person is.',
      },
      {
        table: {
          caption: 'Approvals asked for in the period',
          hasRowHeads: true,
          columns: [column('State', 22), column('What it means', 62), numericColumn('Approvals', 16)],
          rows: [
            ['Asked for', 'All of them', count(approvals.asked)],
            ['Approved', 'A person decided that the call may be made', count(approvals.approved)],
            ['Executed', 'Of those approved: the call was made', count(approvals.executed)],
            ['Denied', 'A person decided that it may not', count(approvals.denied)],
            ['Expired', 'Nobody decided in time', count(approvals.expired)],
            ['Withdrawn', 'The policy or the key changed meanwhile', count(approvals.withdrawn)],
            ['Pending', 'Waits for a person', count(approvals.pending)],
          ],
        },
      },
    ],
  }
}

export function retentionSection({ retention }: ComplianceReport): Section {
  const { tier, details_days: details, content_logging: isLogging, content_days: content, jurisdiction } = retention
  const { asked, done, overdue } = retention.erasures
  const contentKept = content === null ? 'kept' : `kept for ${plural(content, 'day', 'days')}`
  const facts = [
    ['Tier', tier],
    ['Details of decisions', `kept for ${plural(details, 'day', 'days')}`],
    ['Prompts and answers', isLogging ? contentKept : 'not kept'],
    ['Jurisdiction of the organisation’s data', jurisdiction ?? 'none is set'],
    ['Requests to be erased', `${count(asked)} asked for, ${count(done)} done, ${count(overdue)} overdue`],
  ]
  return {
    title: 'What is kept, and for how long',
    follows: 160,
    blocks: [
      {
        paragraph:
          'Of every decision a hash stays in the log for good. What the hash is of, the details, is deleted when its time is over; proofs still verify then.',
      },
      {
        table: {
          hasHead: false,
          hasRowHeads: true,
          columns: [column('Subject', 34), column('State', 66)],
          rows: facts.map(([subject = '', state = '']) => [[{ text: subject, type: SMALL_STRONG }], state]),
        },
      },
    ],
  }
}

/** Nothing is drawn of a log that does not say what it covers. */
export function coverageSection({ coverage = [] }: ComplianceReport): Section[] {
  const latest = coverage.at(-1)
  if (latest === undefined) return []
  const columns = [
    column('Entry', 12),
    column('Written', 24),
    column('Software', 34),
    column('SHA-256 of its source', 30),
  ]
  const rows = coverage.map(({ index, written_at: at, version, worker_id: worker, source_sha256: source }) => [
    count(index),
    moment(at),
    worker === null ? version : `${version}, ${worker}`,
    source === null ? 'not known' : `${source.slice(0, 16)}…`,
  ])
  const title = 'What the log covers'
  const paragraph = `Each decision names the entry of the log that says which software wrote it. ${plural(latest.operations.length, 'operation writes', 'operations write')} decisions: ${latest.operations.join(', ')}. That the stated source is what ran, the log does not prove.`
  const none = {
    caption: 'Calls that leave no entry',
    hasRowHeads: true,
    columns: [column('Why', 34), column('Errors', 42), column('Counted in the log', 24)],
    rows: latest.writes_none.map(({ why, codes, counted, at_least: isBound }) => [
      whyText(why),
      codes.join(', '),
      counted === null ? 'nowhere' : `${counted.replaceAll('+', ', ')}${isBound ? ', at least' : ''}`,
    ]),
  }
  const versions = { caption: 'Versions that wrote it, up to the end of the period', hasRowHeads: true, columns, rows }
  return [{ title, follows: 220, blocks: [{ paragraph }, { table: versions }, { gap: GAP + 4, table: none }] }]
}

export const lawSection = ({ law, law_as_of: date }: ComplianceReport): Section => ({
  title: `The law, as of ${day(date)}: readiness, no legal advice`,
  follows: 240,
  blocks: [
    { list: law.notes },
    {
      gap: GAP + 4,
      table: {
        caption: 'What is expected, and what of it this service can show',
        hasRowHeads: true,
        columns: [
          column('Source', 20),
          column('Expects to see', 28),
          column('Shown here', 28),
          column('Not shown here', 24),
        ],
        rows: law.sources.map(({ source, expects, shows, cannot }) => [
          [{ text: source, type: SMALL_STRONG }],
          expects,
          shows,
          cannot,
        ]),
      },
    },
    ...(law.citations === undefined ? [] : [citationsTable(law.citations)]),
  ],
})

/** One row for each text: the citations of one source that were read on the same day. */
function citationsTable(citations: NonNullable<ComplianceReport['law']['citations']>): Section['blocks'][number] {
  const texts = Map.groupBy(citations, ({ source, read_on: date }) => `${source} ${date}`)
  return {
    gap: GAP + 4,
    table: {
      caption: 'What is cited, and where and when it was read',
      hasRowHeads: true,
      columns: [column('Cited', 46), column('Source', 38), column('Read on', 16)],
      rows: [...texts.values()].flatMap((each) =>
        each
          .slice(0, 1)
          .map(({ source, read_on: date }) => [
            [{ text: groupByLaw(each.map(({ citation }) => citation)), type: SMALL_STRONG }],
            source,
            day(date),
          ]),
      ),
    },
  }
}

export const limitsSection = ({ cannot_show: limits }: ComplianceReport): Section => ({
  title: 'What this report cannot show',
  blocks: [{ list: limits }],
})

export const signatureSection = ({ organisation, demo }: ComplianceReport): Section => ({
  title: 'Signature',
  follows: 142,
  blocks: [
    {
      paragraph: `I have read this report of ${organisation.name}, with the list of what it cannot show${demo ? ', and know that its data is invented' : ''}.`,
    },
    {
      fields: [
        ['Name', 'Function'],
        ['Place and date', 'Signature'],
      ],
    },
  ],
})

const COMMANDS = `sha256sum report.json
node countersign-verify.mjs audit.jsonl --keys keys.json
node countersign-verify.mjs head.json --keys keys.json`

export function checkSection(report: ComplianceReport, hash: string): Section {
  const { tree_head: head, public_keys: keys, retention, service_origin: origin } = report
  const page = origin === null ? 'the page /verify of the service' : `${origin}/verify`
  return {
    title: 'How to check this report',
    follows: 200,
    blocks: [
      {
        paragraph:
          'This document is drawn from the report’s JSON and from nothing else. The SHA-256 of the JSON’s canonical form (RFC 8785) is in an entry of the organisation’s log, written when the report was made.',
      },
      identifiersTable(report, hash),
      {
        gap: GAP,
        list: [
          `Get the verifier: open ${page} in a browser. That page also gives a copy that works offline, and countersign-verify.mjs for a terminal, each with its SHA-256.`,
          `Get the JSON with GET ${origin ?? ''}/api/compliance/report/{report_id}, or with “Save as JSON” on the page of the report. Keep it as report.json, hash it, and compare.`,
          `Export the audit log of the day on which the report was made as audit.jsonl, find the entry with that hash, and check that the log has it. The service keeps the report for ${plural(retention.details_days, 'day', 'days')} from when it was made, and the entry no shorter; of the entry only its own hash stays after that, so keep both files if they are to prove something later. The keys, keys.json, are those that you have from a place you trust: not from here.`,
          'Keep the head below as head.json, check its signature, and compare it with what you keep of earlier ones.',
          'Have this document drawn again of the same report: the same version of the service gives the same bytes.',
        ],
      },
      { code: COMMANDS },
      { part: 'The signed head of the log', follows: 190 },
      {
        paragraph: `When the report was made (${moment(head.timestamp)}), the log had ${count(head.tree_size)} entries. Whoever keeps this head can check against any later one that none of them was changed or left out.`,
      },
      // One member per line, in a fixed order, so that it can be copied.
      { code: JSON.stringify(Object.fromEntries(HEAD_MEMBERS.map((name) => [name, head[name]])), null, 2) },
      { part: 'The keys that records are signed with', follows: 46 },
      {
        gap: 0,
        table: {
          hasRowHeads: true,
          columns: [
            column('Key', 26),
            column('Public key (Ed25519, base64url)', 46),
            column('State', 9),
            column('From', 12),
            column('Until', 12),
          ],
          rows: keys.map(({ key_id: id, public_key: key, status, valid_from: from, valid_until: until }) => [
            id,
            key,
            status,
            from.slice(0, 10),
            until === null ? '–' : until.slice(0, 10),
          ]),
        },
      },
    ],
  }
}

/** The only table with ids: somebody who checks needs them. */
const identifiersTable = ({ id, organisation, tree_head: head }: ComplianceReport, hash: string): Block => ({
  table: {
    caption: 'Identifiers',
    hasHead: false,
    hasRowHeads: true,
    columns: [column('Name', 26), column('Value', 74)],
    rows: [
      ['Report', id],
      ['Organisation', organisation.id],
      ['SHA-256 of the JSON', hash],
      ['Entries in the log', count(head.tree_size)],
      ['Root of the log', head.root_hash],
    ].map(([name = '', value = '']) => [[{ text: name, type: SMALL_STRONG }], value]),
  },
})

const HEAD_MEMBERS = [
  'v',
  'org_id',
  'tree_size',
  'root_hash',
  'timestamp',
  'signature',
  'public_key',
  'key_id',
  'algorithm',
] as const satisfies readonly (keyof ComplianceReport['tree_head'])[]
