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
        sentence: 'What happens to a call, what is left of it, and what each word means.',
      },
    ],
  },
  guides('developer', [
    { name: 'call-models', label: 'Call models', sentence: 'OpenAI’s format, streams, tools, retries and cost.' },
    { name: 'repeat-calls', label: 'Send a call again', sentence: 'Repeat a call without paying for it twice.' },
    {
      name: 'read-letters',
      label: 'Read letters',
      sentence: 'What happens to a letter, what the answer means, and how often it is right.',
    },
  ]),
  guides('owner', [
    { name: 'invite-members', label: 'Invite members', sentence: 'Invite people, change roles, and remove people.' },
    { name: 'rotate-keys', label: 'Rotate a key', sentence: 'Create, limit, rotate and revoke keys.' },
    { name: 'set-policy', label: 'Set a policy', sentence: 'Say what calls must comply with, and try it first.' },
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
  ]),
  guides('compliance', [
    { name: 'medical-receipts', label: 'Medical receipts', sentence: 'Calls about patients, each with its proofs.' },
  ]),
  guides('operator', [
    { name: 'deploy', label: 'Deploy', sentence: 'From an empty Cloudflare account to a checked deployment.' },
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
      { name: 'rules', label: 'Policy rules', sentence: 'Every member of a policy, its values and its refusal.' },
      { name: 'identifiers', label: 'Identifiers', sentence: 'Which identifiers are found, and which are missed.' },
      { name: 'settings', label: 'Settings', sentence: 'Every setting of an organisation.' },
      { name: 'roles', label: 'Roles', sentence: 'What each role and key may do.' },
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
      { name: 'transparency', label: 'Transparency', sentence: 'How outsiders watch the public log.' },
      { name: 'changes', label: 'Changes', sentence: 'What may change without notice, and what is announced.' },
    ],
  },
  {
    title: 'Operation',
    documents: [
      { name: 'accounts', label: 'Accounts', sentence: 'A page that is rewritten next.' },
      { name: 'analytics', label: 'Analytics', sentence: 'A page that is rewritten next.' },
      { name: 'attestation', label: 'Attestation', sentence: 'A page that is rewritten next.' },
      { name: 'audit', label: 'Audit', sentence: 'A page that is rewritten next.' },
      { name: 'bias-detection', label: 'Bias detection', sentence: 'A page that is rewritten next.' },
      { name: 'content', label: 'Content', sentence: 'A page that is rewritten next.' },
      { name: 'notifications', label: 'Notifications', sentence: 'A page that is rewritten next.' },
      { name: 'oversight', label: 'Oversight', sentence: 'A page that is rewritten next.' },
      { name: 'reports', label: 'Reports', sentence: 'A page that is rewritten next.' },
    ],
  },
]

/** The documents in their order. */
export const LISTED_DOCUMENTS = DOCUMENT_GROUPS.flatMap((group) =>
  group.documents.map((listed) => ({ ...listed, group: group.title })),
)

export const PUBLISHED_DOCUMENTS: readonly string[] = LISTED_DOCUMENTS.map(({ name }) => name)
