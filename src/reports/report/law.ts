// The laws and standards that controls and reports cite, each with its source and the day on which it was read, and the report's text
// about the law. It is no legal advice.

/** The day on which every text was read, in public copies. */
const READ_ON = '2026-11-26'

/** Article 113: Chapters I and II; everything without a day of its own; sections 1 to 3 of Chapter III, at first for Annex III. */
const CHAPTERS_I_AND_II = '2025-02-02'
const GENERAL_DAY = '2026-08-02'
const HIGH_RISK_DAY = '2027-12-02'

/** `source`: the publisher's address. `applies_from`: the first day on which it applies to anybody; null for a standard. */
type Cited = { title: string; applies_from: string | null; source: string; read_on: string }

const citedFrom =
  (source: string) =>
  (title: string, applies_from: string | null = null): Cited => ({ title, applies_from, source, read_on: READ_ON })

const aiAct = citedFrom('https://eur-lex.europa.eu/eli/reg/2024/1689/oj')
const highRisk = (title: string): Cited => aiAct(title, HIGH_RISK_DAY)
const regulation2016 = citedFrom('https://eur-lex.europa.eu/eli/reg/2016/679/oj')
const gdpr = (title: string): Cited => regulation2016(title, '2018-05-25')
const nist = citedFrom('https://doi.org/10.6028/NIST.AI.100-1')

/** By the short form that controls print. A test refuses a citation that nothing cites. */
export const CITATIONS = {
  'AI Act 4': aiAct('AI literacy', CHAPTERS_I_AND_II),
  'AI Act 10(2)(f)–(g)': highRisk('Examination of data for biases, and measures against them'),
  'AI Act 12': highRisk('Record-keeping'),
  'AI Act 12(1)': highRisk('Automatic recording of events (logs)'),
  'AI Act 13': highRisk('Transparency and provision of information to deployers'),
  'AI Act 14': highRisk('Human oversight'),
  'AI Act 14(4)(d)': highRisk('Deciding not to use an output, to disregard, override or reverse it'),
  'AI Act 15': highRisk('Accuracy, robustness and cybersecurity'),
  'AI Act 15(4)': highRisk('Robustness'),
  'AI Act 19': highRisk('Automatically generated logs'),
  'AI Act 19(1)': highRisk('Providers keep logs for at least six months'),
  'AI Act 26': highRisk('Obligations of deployers of high-risk AI systems'),
  'AI Act 26(1)': highRisk('Use according to the instructions for use'),
  'AI Act 26(2)': highRisk('Oversight by competent, trained people with authority'),
  'AI Act 26(5)': highRisk('Deployers monitor operation, and inform of risks and serious incidents'),
  'AI Act 26(6)': highRisk('Deployers keep logs for at least six months'),
  'AI Act 27': highRisk('Fundamental rights impact assessment for high-risk AI systems'),
  'AI Act 50': aiAct('Transparency obligations for providers and deployers of certain AI systems', GENERAL_DAY),
  'AI Act 50(2)': aiAct('Machine-readable marking of generated content', GENERAL_DAY),
  'AI Act 72': aiAct('Post-market monitoring by providers', GENERAL_DAY),
  'AI Act 73': aiAct('Reporting of serious incidents', GENERAL_DAY),
  'AI Act 111(4)': aiAct('Systems placed on the market before 2 August 2026 and Article 50(2)', GENERAL_DAY),
  'AI Act 113': aiAct('Entry into force and application', GENERAL_DAY),
  'Regulation (EU) 2026/1744': citedFrom('https://eur-lex.europa.eu/eli/reg/2026/1744/oj')(
    'Digital Omnibus on AI, which amends the AI Act',
    '2026-07-27',
  ),
  'GDPR 5(1)(c)': gdpr('Data minimisation'),
  'GDPR 5(1)(f)': gdpr('Integrity and confidentiality'),
  'GDPR 17': gdpr('Right to erasure'),
  'GDPR 25': gdpr('Data protection by design and by default'),
  'GDPR 30': gdpr('Records of processing activities'),
  'GDPR 32': gdpr('Security of processing'),
  'GDPR 32(1)(a)': gdpr('Pseudonymisation and encryption of personal data'),
  'GDPR 35': gdpr('Data protection impact assessment'),
  'GDPR 44': gdpr('General principle for transfers'),
  'GDPR 45': gdpr('Transfers on the basis of an adequacy decision'),
  'GDPR 46': gdpr('Transfers subject to appropriate safeguards'),
  MDR: citedFrom('https://eur-lex.europa.eu/eli/reg/2017/745/oj')(
    'Regulation (EU) 2017/745 on medical devices',
    '2021-05-26',
  ),
  'IEC 62304': citedFrom('https://webstore.iec.ch/en/publication/6792')(
    'Medical device software – Software life cycle processes',
  ),
  'ISO 14971': citedFrom('https://www.iso.org/standard/72704.html')(
    'Medical devices – Application of risk management to medical devices',
  ),
  'ISO/IEC 42001': citedFrom('https://www.iso.org/standard/42001')(
    'Information technology – Artificial intelligence – Management system',
  ),
  'NIST AI RMF': nist('Artificial Intelligence Risk Management Framework (AI RMF 1.0)'),
  'NIST AI RMF GOVERN 1': nist('Policies, processes, procedures and practices'),
  'NIST AI RMF MANAGE 2': nist('Strategies to maximise benefits and minimise negative impacts'),
  'NIST AI RMF MAP 1': nist('Context is established and understood'),
  'NIST AI RMF MEASURE 2': nist('AI systems are evaluated for trustworthy characteristics'),
} as const satisfies Record<string, Cited>

export type Citation = keyof typeof CITATIONS

/** A source that no law or standard names is good practice. */
export type ControlSource = Citation | 'good practice'

type Note = { text: string; cites: readonly Citation[] }

export const LAW_NOTES: readonly Note[] = [
  {
    text: 'Regulation (EU) 2026/1744, in force since 27 July 2026, moved the day from which sections 1 to 3 of Chapter III of the AI Act apply (Article 113), save Article 6(5), and with them Articles 10, 12 to 15, 19, 26 and 27: for systems of Annex III to 2 December 2027, for systems of Annex I, medical devices among them, to 2 August 2028.',
    cites: ['Regulation (EU) 2026/1744', 'AI Act 113', 'AI Act 26', 'AI Act 27'],
  },
  {
    text: 'Article 4 applies since 2 February 2025: providers and deployers take measures that support the AI literacy of their people.',
    cites: ['AI Act 4'],
  },
  {
    text: 'Article 50 applies since 2 August 2026. Only for Article 50(2), the machine-readable marking of generated audio, image, video or text, providers of systems that were placed on the market before that day have until 2 December 2026 (Article 111(4)).',
    cites: ['AI Act 50', 'AI Act 50(2)', 'AI Act 111(4)'],
  },
  {
    text: 'Articles 72 and 73 are outside those sections, and bind providers. Deployers monitor a system and tell of its incidents by Article 26(5).',
    cites: ['AI Act 72', 'AI Act 73', 'AI Act 26(5)'],
  },
  {
    text: 'Six months, as in Articles 19(1) and 26(6), are at most 184 days, and 185 with the day of the event.',
    cites: ['AI Act 19(1)', 'AI Act 26(6)'],
  },
  {
    text: 'The texts were read in public copies, each on the day that is named with it. Read the Official Journal before you rely on one.',
    cites: [],
  },
  {
    text: 'So this report tells of readiness. It is no legal advice, and no finding that a law is kept or broken.',
    cites: [],
  },
]

type Expectation = { cites: readonly Citation[]; expects: string; shows: string; cannot: string }

export const LAW_EXPECTATIONS: readonly Expectation[] = [
  {
    cites: ['AI Act 12', 'AI Act 19', 'AI Act 26(6)'],
    expects: 'Automatic logs by which use can be traced, kept for at least six months.',
    shows: 'Decisions, how calls ended, proofs of both, how long details are kept.',
    cannot: 'What was asked and answered, unless content is kept.',
  },
  {
    cites: ['AI Act 13', 'AI Act 26(1)'],
    expects: 'Instructions for use, and use as they say.',
    shows: 'Models, use cases and limits that were set and enforced.',
    cannot: 'The instructions.',
  },
  {
    cites: ['AI Act 14', 'AI Act 26(2)'],
    expects: 'People who can step in, set a decision aside, and stop the system.',
    shows: 'Approvals, refusals that were set aside or passed on, keys and policies that stop calls.',
    cannot: 'Whether those people are competent and trained.',
  },
  {
    cites: ['AI Act 15'],
    expects: 'Accuracy, robustness and security.',
    shows: 'Failures, loops, how keys are kept, whether records were changed.',
    cannot: 'Whether answers were right.',
  },
  {
    cites: ['AI Act 26(5)', 'AI Act 72', 'AI Act 73'],
    expects: 'Monitoring in use, by providers by a plan; serious incidents reported in time.',
    shows: 'Comparisons and anomalies, the receipts of an incident.',
    cannot: 'The plan, and the report of an incident.',
  },
  {
    cites: ['GDPR 30', 'GDPR 32', 'GDPR 35'],
    expects: 'Records of processing, security, an assessment of impact.',
    shows: 'Purposes, recipients, how long data is kept; sealing and access.',
    cannot: 'The assessment.',
  },
  {
    cites: ['ISO/IEC 42001'],
    expects: 'An AI management system: established, implemented, maintained and improved.',
    shows: 'Event logs, and which models were used for what.',
    cannot: 'The management system itself.',
  },
  {
    cites: ['NIST AI RMF'],
    expects: 'Govern, map, measure, manage.',
    shows: 'Parts of MEASURE 2 and MANAGE 2 to 4.',
    cannot: 'GOVERN, beyond policies.',
  },
  {
    cites: ['MDR', 'IEC 62304', 'ISO 14971'],
    expects: 'Intended purpose, management of risks, a life cycle of the software with control of changes.',
    shows: 'Which model served which call, and when that changed.',
    cannot: 'Validation, and the management of risks.',
  },
]

/** Returns citations with each law's name once: "AI Act 12(1), 19; GDPR 32". */
export function groupByLaw(citations: readonly string[], separator = '; '): string {
  const byLaw = Map.groupBy(citations, (one) => /^(?:AI Act|GDPR)(?= )/.exec(one)?.[0] ?? one)
  return [...byLaw]
    .map(([law, each]) =>
      each.length === 1 ? each[0] : `${law} ${each.map((one) => one.slice(law.length + 1)).join(', ')}`,
    )
    .join(separator)
}

export const LAW = {
  notes: LAW_NOTES.map(({ text }) => text),
  sources: LAW_EXPECTATIONS.map(({ cites, expects, shows, cannot }) => ({
    source: groupByLaw(cites, ', '),
    expects,
    shows,
    cannot,
  })),
  citations: Object.entries<Cited>(CITATIONS).map(([citation, { title, applies_from, source, read_on }]) => ({
    citation,
    title,
    applies_from,
    source,
    read_on,
  })),
}
