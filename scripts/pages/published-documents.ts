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
      'repeated-calls': { label: 'Repeated calls', sentence: 'Send a call again without paying for it twice.' },
      changes: { label: 'Changes', sentence: 'What may change without notice, what is announced, and how.' },
    },
  },
  {
    title: 'Referral letters',
    documents: {
      readings: {
        label: 'Readings',
        sentence: 'What happens to a letter, what the answer means, and how often the readers are right.',
      },
      identifiers: {
        label: 'Identifiers',
        sentence: 'Which identifiers of patients are refused, and which are missed.',
      },
    },
  },
  {
    title: 'Model calls',
    documents: {
      'openai-compatibility': {
        label: 'OpenAI compatibility',
        sentence: 'Which parts of OpenAI’s formats work with which provider and client.',
      },
      policies: { label: 'Policies', sentence: 'The rules that an organisation can set for its calls.' },
      approvals: { label: 'Approvals', sentence: 'Hold a call until people have approved it.' },
      'prompt-injection': {
        label: 'Prompt injection',
        sentence: 'Which attacks hidden in texts are found, and how many are missed.',
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
