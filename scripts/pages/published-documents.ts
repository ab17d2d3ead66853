// The list of documents in docs/ that become pages, in order, each with a label and a sentence. Documents for people with a clone
// of the repository are not listed.

export type ListedDocument = {
  /** The short name in lists. The page's heading is the document's own title. */
  label: string
  sentence: string
}

export type DocumentGroup = {
  title: string
  /** The documents by their file names. */
  documents: Readonly<Record<string, ListedDocument>>
}

export const QUICK_STARTS: DocumentGroup = {
  title: 'Quick starts',
  documents: {
    'start-developer': {
      label: 'Developer',
      sentence: 'Call a model from Python, Node and curl, and check its record.',
    },
    'start-gp-software': { label: 'GP software', sentence: 'Have a letter read, and show the waiting lists.' },
    'start-owner': { label: 'Owner', sentence: 'Set up members, keys, and a policy that decides about calls.' },
    'start-compliance': { label: 'Compliance officer', sentence: 'See what was blocked and why, and export the log.' },
    'start-operator': { label: 'Operator', sentence: 'Run the service on your own machine, then in production.' },
  },
}

export const DOCUMENT_GROUPS: readonly DocumentGroup[] = [
  QUICK_STARTS,
  {
    title: 'Concepts',
    documents: {
      concepts: { label: 'Concepts', sentence: 'What happens to a call, what is left of it, and every word.' },
    },
  },
  {
    title: 'Basics',
    documents: {
      tour: { label: 'Tour', sentence: 'A line to paste for each main job.' },
      errors: { label: 'Errors', sentence: 'Every error code: what it means, and what to do.' },
      changes: { label: 'Changes', sentence: 'What may change without notice, what is announced, and how.' },
    },
  },
  {
    title: 'Guides: developers',
    documents: {
      'call-models': { label: 'Call models', sentence: 'Call models of several providers in OpenAI’s format.' },
      'repeat-calls': { label: 'Send a call again', sentence: 'Send a call again without paying for it twice.' },
      'read-letters': {
        label: 'Read letters',
        sentence: 'Have two models read a referral letter, and know how often they are right.',
      },
    },
  },
  {
    title: 'Guides: owners',
    documents: {
      'invite-members': { label: 'Invite members', sentence: 'Invite people, give them roles, and remove them.' },
      'rotate-keys': { label: 'Rotate a key', sentence: 'Create, limit, rotate and revoke keys.' },
      'set-policy': { label: 'Set a policy', sentence: 'Decide which calls are allowed, and try it first.' },
      'block-personal-data': {
        label: 'Block personal data',
        sentence: 'Report, replace or block identifiers in prompts.',
      },
      'block-injections': {
        label: 'Block injections',
        sentence: 'Report or block prompts that give a model other instructions.',
      },
      'ask-for-approval': { label: 'Ask for approval', sentence: 'Hold a call until people have approved it.' },
      'cache-answers': { label: 'Cache answers', sentence: 'Use an answer again at no cost.' },
    },
  },
  {
    title: 'Reference',
    documents: {
      rules: { label: 'Policy rules', sentence: 'Every member of a policy, with its values and refusals.' },
      identifiers: { label: 'Identifiers', sentence: 'Which identifiers are found, and which are missed.' },
    },
  },
  {
    title: 'Model calls',
    documents: {
      'openai-compatibility': {
        label: 'OpenAI compatibility',
        sentence: 'Which parts of OpenAI’s formats work with which provider and client.',
      },
      content: { label: 'Content logging', sentence: 'Store prompts and answers, if you want that.' },
      notifications: { label: 'Notifications', sentence: 'Signed messages that tell your own server what happened.' },
    },
  },
  {
    title: 'Organisation',
    documents: {
      accounts: { label: 'Accounts', sentence: 'People, sign-in, members, keys, settings, export and erasure.' },
      analytics: { label: 'Analytics', sentence: 'How many calls there were, how they ended, and what they cost.' },
      oversight: { label: 'Oversight', sentence: 'The checklist and the score: what they show, and what they cannot.' },
      reports: { label: 'Reports', sentence: 'A report on a period, to store and to sign.' },
      'bias-detection': {
        label: 'Bias detection',
        sentence: 'Whether groups are served alike, and what is unusual over time.',
      },
      'medical-receipts': {
        label: 'Medical receipts',
        sentence: 'The calls that have to do with patients, each with its proof.',
      },
    },
  },
  {
    title: 'Records and proofs',
    documents: {
      attestation: { label: 'Signed records', sentence: 'What a signed record proves, and how to check one.' },
      audit: { label: 'Audit', sentence: 'What auditors can read and take away, and how to check an export.' },
      transparency: {
        label: 'Checkpoints and witnesses',
        sentence: 'How outsiders watch that the public log is never rewritten.',
      },
      'contract-checks': {
        label: 'Contract checks',
        sentence: 'Check a deployment from outside against what it promises.',
      },
    },
  },
  {
    title: 'Data and security',
    documents: {
      data: { label: 'What happens to data', sentence: 'Where your data goes, what is stored, and for how long.' },
      retention: { label: 'Retention', sentence: 'Everything that is stored, by table and store, and until when.' },
      security: { label: 'Security', sentence: 'Who may do what, and how secrets are stored.' },
      'threat-model': {
        label: 'Threat model',
        sentence: 'Who might attack, what protects against it, and what does not.',
      },
    },
  },
  {
    title: 'Operation',
    documents: {
      operations: { label: 'Operations', sentence: 'Deploy it, set it up, and act when something fails.' },
    },
  },
  {
    title: 'Reference',
    documents: {
      limits: { label: 'Limits and tiers', sentence: 'How many calls, how large, and what each tier includes.' },
      headers: { label: 'Headers', sentence: 'What requests may send and responses have.' },
      fields: { label: 'Fields by provider', sentence: 'Which fields of OpenAI’s formats each provider takes.' },
      clients: { label: 'Clients', sentence: 'Which SDKs were tested, at which version, with which result.' },
      settings: { label: 'Settings', sentence: 'Every setting of an organisation, with its values and default.' },
    },
  },
]

export const PUBLISHED_DOCUMENTS: readonly string[] = DOCUMENT_GROUPS.flatMap(({ documents }) => Object.keys(documents))
