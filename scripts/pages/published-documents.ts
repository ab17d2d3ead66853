// The documents in docs/ that become pages: lists, side bar, search, and the next and the previous page follow from this list and its
// order. A page's title is the first line of its document. Documents for contributors are not listed: CONTRIBUTING.md leads to them.

/** The people that a guide is for, as a list names them. */
export const READERS = {
  developer: 'developers',
  owner: 'owners',
  compliance: 'compliance officers',
  operator: 'operators',
} as const

export type Reader = keyof typeof READERS

export type ListedDocument = {
  /** The file's name, and the path of its page. */
  name: string
  /** The short name in lists. */
  label: string
  sentence: string
}

export type DocumentGroup = {
  title: string
  /** Absent: for everybody, or for the readers that the documents name. */
  reader?: Reader
  documents: readonly ListedDocument[]
}

export const QUICK_STARTS: DocumentGroup = {
  title: 'Quick starts',
  documents: [
    {
      name: 'start-developer',
      label: 'Developer',
      sentence: 'Call a model from Python, Node and curl, and check its record.',
    },
    { name: 'start-gp-software', label: 'GP software', sentence: 'Have a letter read, and show the waiting lists.' },
    { name: 'start-owner', label: 'Owner', sentence: 'Set up members, keys, and a policy that decides about calls.' },
    {
      name: 'start-compliance',
      label: 'Compliance officer',
      sentence: 'See what was blocked and why, and export the log.',
    },
    {
      name: 'start-operator',
      label: 'Operator',
      sentence: 'Run the service on your own machine, then in production.',
    },
  ],
}

const guides = (reader: Reader, documents: readonly ListedDocument[]): DocumentGroup => ({
  title: `Guides: ${READERS[reader]}`,
  reader,
  documents,
})

export const DOCUMENT_GROUPS: readonly DocumentGroup[] = [
  QUICK_STARTS,
  {
    title: 'Concepts',
    documents: [
      {
        name: 'concepts',
        label: 'Concepts and glossary',
        sentence: 'What happens to a call, what is stored about it, and what each word means.',
      },
    ],
  },
  guides('developer', [
    { name: 'call-models', label: 'Call models', sentence: 'Three formats, streams, tools, retries and cost.' },
    { name: 'repeat-calls', label: 'Send a call again', sentence: 'Repeat a call without paying for it twice.' },
    {
      name: 'integrate-readings',
      label: 'Integrate readings',
      sentence: 'For GP software: what to show, every refusal, retries, and clients to copy.',
    },
    {
      name: 'read-letters',
      label: 'Read letters',
      sentence: 'How a letter is read, what is recorded, and how to check that.',
    },
  ]),
  guides('owner', [
    { name: 'invite-members', label: 'Invite members', sentence: 'Invite people, change roles, and remove people.' },
    { name: 'rotate-keys', label: 'Manage API keys', sentence: 'Create, limit, rotate and revoke keys.' },
    { name: 'set-policy', label: 'Set a policy', sentence: 'Say what calls must comply with, and try it first.' },
    {
      name: 'keep-calls-in-europe',
      label: 'Keep calls in Europe',
      sentence: 'Limit where prompts may be routed to, and see where each went.',
    },
    {
      name: 'block-personal-data',
      label: 'Block personal data',
      sentence: 'Find, replace or block identifiers in prompts.',
    },
    {
      name: 'block-injections',
      label: 'Block injections',
      sentence: 'Look for attacks that are hidden in texts, and know what is missed.',
    },
    { name: 'ask-for-approval', label: 'Ask for approval', sentence: 'Hold a call until people have approved it.' },
    { name: 'cache-answers', label: 'Cache answers', sentence: 'Answer the same request again at no cost.' },
    { name: 'keep-content', label: 'Keep prompts and answers', sentence: 'Store them, read them back, erase them.' },
    {
      name: 'receive-webhooks',
      label: 'Receive webhooks',
      sentence: 'Signed messages about loops, budgets, approvals.',
    },
    { name: 'export-data', label: 'Export all data', sentence: 'All data of the organisation as one file.' },
    { name: 'erase-data', label: 'Erase an organisation', sentence: 'Or an account: what goes, what stays, and when.' },
  ]),
  guides('compliance', [
    {
      name: 'see-usage',
      label: 'See calls and costs',
      sentence: 'How many calls there were, how they ended, what they cost.',
    },
    {
      name: 'export-evidence',
      label: 'Export evidence and check it',
      sentence: 'List calls, export the log, and check the file without the service.',
    },
    { name: 'check-records', label: 'Check a record', sentence: 'What a signed record proves, and how to check one.' },
    { name: 'check-by-hand', label: 'Check by hand', sentence: 'Short programs that check records and exports.' },
    { name: 'use-checklist', label: 'Use the checklist', sentence: 'What the score shows, and what it cannot.' },
    { name: 'make-reports', label: 'Make a report', sentence: 'A report on a period, to store and to sign.' },
    {
      name: 'compare-groups',
      label: 'Compare groups',
      sentence: 'Whether groups are served alike, and what is unusual over time.',
    },
    { name: 'medical-receipts', label: 'Medical receipts', sentence: 'Calls about patients, each with its proofs.' },
  ]),
  guides('operator', [
    { name: 'deploy', label: 'Deploy', sentence: 'From an empty Cloudflare account to a checked deployment.' },
    { name: 'from-day-two', label: 'From day two', sentence: 'Watch, upgrade, go back, restore, rotate the token.' },
    { name: 'send-mail', label: 'Send mail', sentence: 'Set up mail, and act when it does not leave.' },
    { name: 'set-up-sign-in', label: 'Set up sign-in', sentence: 'Entra, Google or any other OpenID provider.' },
    { name: 'run-organisations', label: 'Run organisations', sentence: 'Organisations, keys, tiers and models.' },
    { name: 'publish-figures', label: 'Publish figures', sentence: 'Publish, check and withdraw waiting lists.' },
    { name: 'rotate-signing-keys', label: 'Rotate signing keys', sentence: 'The life of the keys that sign records.' },
    { name: 'run-witnesses', label: 'Run witnesses', sentence: 'Have others cosign the public log.' },
    { name: 'repair-storage', label: 'Repair storage', sentence: 'Check logs, restore files, repeat erasures.' },
    { name: 'check-deployment', label: 'Check a deployment', sentence: 'Compare a deployment with the contract.' },
  ]),
  {
    title: 'Reference',
    documents: [
      { name: 'errors', label: 'Errors', sentence: 'Every error code: what it means, and what to do.' },
      { name: 'limits', label: 'Limits and tiers', sentence: 'How many calls, how large, and what a tier includes.' },
      { name: 'headers', label: 'Headers', sentence: 'What requests may send and responses have.' },
      {
        name: 'fields',
        label: 'Fields by provider',
        sentence: 'Which fields of OpenAI’s formats each provider takes.',
      },
      { name: 'clients', label: 'Clients', sentence: 'Which SDKs were tested, and with which result.' },
      { name: 'rules', label: 'Policy rules', sentence: 'Every rule of a policy, its values and its refusal.' },
      { name: 'identifiers', label: 'Identifiers', sentence: 'Which identifiers are found, and which are missed.' },
      { name: 'settings', label: 'Settings', sentence: 'Every setting of an organisation.' },
      { name: 'roles', label: 'Roles', sentence: 'Who may do what: each role, and a key.' },
      { name: 'controls', label: 'Controls', sentence: 'Every control of the compliance checklist.' },
      { name: 'records', label: 'Records and proofs', sentence: 'The formats of everything that is signed.' },
      { name: 'findings', label: 'Verifier findings', sentence: 'What the verifier says, and what it means.' },
      { name: 'retention', label: 'Retention', sentence: 'Everything that is stored, and until when.' },
      { name: 'deployment-settings', label: 'Deployment settings', sentence: 'Every variable and secret.' },
      { name: 'log-lines', label: 'Log lines', sentence: 'What a line of the operator’s log asks for.' },
      { name: 'commands', label: 'Commands', sentence: 'Every command, with its most important options.' },
    ],
  },
  {
    title: 'Trust',
    documents: [
      { name: 'data', label: 'What happens to data', sentence: 'Where data goes, what is stored, and for how long.' },
      { name: 'security', label: 'Security', sentence: 'How access is decided and secrets are stored.' },
      { name: 'threat-model', label: 'Threat model', sentence: 'Who might attack, what protects, and what does not.' },
      { name: 'transparency', label: 'The public log', sentence: 'How outsiders watch the public log.' },
      { name: 'coverage', label: 'What the log covers', sentence: 'Which software decided, and what leaves no entry.' },
      { name: 'hashes', label: 'What a hash covers', sentence: 'What can be proven, and what is the service’s word.' },
      {
        name: 'changes',
        label: 'Changes and deprecation',
        sentence: 'What may change without notice, and what is announced.',
      },
    ],
  },
]

/** The documents in their order. */
export const LISTED_DOCUMENTS = DOCUMENT_GROUPS.flatMap((group) =>
  group.documents.map((listed) => ({ ...listed, group: group.title })),
)

export const PUBLISHED_DOCUMENTS: readonly string[] = LISTED_DOCUMENTS.map(({ name }) => name)
