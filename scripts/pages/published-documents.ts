// The list of documents in docs/ that become pages, in order, with a sentence about each. Documents for people with a clone of
// the repository are not listed.

export type DocumentGroup = {
  title: string
  /** The sentence about each document, by its file name. */
  documents: Readonly<Record<string, string>>
}

export const DOCUMENT_GROUPS: readonly DocumentGroup[] = [
  {
    title: 'Begin',
    documents: {
      'start-developer': 'Call a model from Python, Node and curl, and check the record of the call.',
      'start-gp-software': 'From a first reading to the waiting lists, and what is refused.',
      'start-owner': 'Members, keys, and a policy that decides about calls.',
      'start-compliance': 'What was blocked and why, an export of the log, and its check.',
      'start-operator': 'The service on your own machine, then in production.',
      tour: 'A line to paste for each main job.',
      errors: 'Every error code: what it means, and what to do.',
      'repeated-calls': 'How a program sends a call again without paying for it twice.',
      changes: 'What may change without notice, what is announced, and how.',
    },
  },
  {
    title: 'Have letters read',
    documents: {
      readings: 'What happens to a letter, what the answer means, and how often the readers are right.',
      identifiers: 'Which identifiers of patients are refused, and which are not noticed.',
    },
  },
  {
    title: 'Call models',
    documents: {
      'openai-compatibility':
        'What of OpenAI’s formats works with which provider, and with which clients it was tried.',
      policies: 'The rules that an organisation can set for its calls.',
      approvals: 'Calls that wait until people have approved them.',
      'prompt-injection': 'Which attacks hidden in texts are found, and how many are missed.',
      content: 'How prompts and answers can be kept, for those who want that.',
      notifications: 'Signed messages that tell your own server what happened.',
    },
  },
  {
    title: 'Run an organisation',
    documents: {
      accounts: 'People, sign-in, members, keys, settings, export and erasure.',
      analytics: 'How many calls there were, how they ended, and what they cost.',
      oversight: 'The checklist and the score: what they show, and what they cannot.',
      reports: 'A report on a period, to keep and to sign.',
      'bias-detection': 'Whether groups are served alike, and what is unusual over time.',
      'medical-receipts': 'The calls that have to do with patients, each with its proof.',
    },
  },
  {
    title: 'Check what it says',
    documents: {
      attestation: 'What a signed record proves, how to check one, and how its keys are kept.',
      audit: 'What auditors can read and take away, and how to check an export.',
      transparency: 'How outsiders watch that the public log is never rewritten.',
      'contract-checks': 'How a deployment is checked from outside against what it promises.',
    },
  },
  {
    title: 'Data and security',
    documents: {
      data: 'Where what you send goes, what stays of it, and for how long.',
      retention: 'Everything that is kept, by table and store, and until when.',
      security: 'Who may do what, and how secrets are kept.',
      'threat-model': 'Who might attack, what holds against them, and what does not.',
    },
  },
  {
    title: 'Run the service',
    documents: {
      operations: 'Deploying it, its settings, and what to do when something fails.',
      architecture: 'What it is made of, and the way that a request takes.',
      calls: 'Limits, the order of checks, streams and memory.',
      storage: 'Every table and file that it writes, and how data moves between them.',
      decisions: 'Why it is built as it is.',
      performance: 'What a call costs, measured, and how to measure it again.',
    },
  },
]

export const PUBLISHED_DOCUMENTS: readonly string[] = DOCUMENT_GROUPS.flatMap(({ documents }) => Object.keys(documents))
