// The general part of the OpenAPI documents: title, introduction, server, tags, and the ways to show who is calling.

const REFERRAL =
  '**The referral service** reads a draft referral letter with two independent readers and names the specialty only when both agree. It lists the published waiting lists of a specialty. It never chooses a hospital, sets urgency, ranks, books or sends: those actions are refused (409) and recorded.'
const WHERE_LETTERS_GO = [
  '**Where the text goes.** The letter goes to the two readers and nowhere else. %WHERE_LETTERS_GO% No letter is stored. Only invented letters are accepted today; use with real referrals is a pilot decision made under a data processing agreement.',
  '**What the guard does not catch.** It refuses shapes of identifiers. Names, addresses and towns are not caught: remove them before the call.',
]
const REFERRAL_KEYS =
  '**Keys** of the referral service are requested by e-mail from the operator, stating the system being built. Sandbox keys start `vk_test_` and answer from recorded readings of the example letters; live keys start `vk_live_`.'

const INFO = {
  version: '1.0.0',
  license: { name: 'MIT', identifier: 'MIT' },
  contact: { name: 'The operator of this deployment' },
}

/** The information of the document that has only the referral service. */
export const REFERRAL_INFO = {
  ...INFO,
  title: 'Countersign referral service',
  description: [
    REFERRAL,
    ...WHERE_LETTERS_GO,
    REFERRAL_KEYS,
    '**This document** has only what software for general practice needs. `/v1/openapi.json` describes the whole service.',
  ].join('\n\n'),
}

export const API_DESCRIPTION = {
  openapi: '3.1.0',
  info: {
    ...INFO,
    title: 'Countersign',
    description: [
      REFERRAL,
      '**The gateway** sends calls to the models of several providers, under your organisation’s policy, and signs a record of each decision.',
      ...WHERE_LETTERS_GO,
      `${REFERRAL_KEYS} Keys of the gateway start \`aqta_\` or \`sk-aqta-\`; members of an organisation make them with \`POST /api/keys\`.`,
      '**Without `/v1`.** `/chat/completions`, `/responses`, `/models`, `/models/{id}`, `/embeddings` and `/messages` are answered exactly as under `/v1`, for clients whose base URL has no version. Where there is no such operation, both are 404.',
    ].join('\n\n'),
  },
  servers: [{ url: '/', description: 'The address this document was fetched from.' }],
  tags: [
    { name: 'Referral', description: 'Reading a draft referral letter.' },
    { name: 'Waiting lists', description: 'Published figures, with source, date and the hash of the file.' },
    { name: 'Gateway', description: 'Chat completions over the models of several providers, in OpenAI’s format.' },
    { name: 'Attestation', description: 'The keys that sign records of decisions, for those who check them.' },
    {
      name: 'Transparency',
      description:
        'The signed logs: your organisation’s own, and the public one of all attestations, which needs no key.',
    },
    { name: 'Keys', description: 'An organisation’s keys, for its people and for its keys with the scope manage.' },
    { name: 'People', description: 'Signing up and in, one’s own account, sessions and password.' },
    { name: 'Members', description: 'Organisations, who belongs to them in which role, and invitations.' },
    {
      name: 'Policies',
      description:
        'The rules that an organisation’s calls must keep to, their history, and what another document would do.',
    },
    { name: 'Approvals', description: 'Requests that wait until people of the organisation have approved them.' },
    { name: 'Settings', description: 'Your organisation’s settings, and the export of all its data.' },
    {
      name: 'Analytics',
      description: 'How many calls there were, how they ended and what they cost, counted from the ledger.',
    },
    { name: 'Notifications', description: 'The signed messages by which an organisation is told what happens in it.' },
    { name: 'Calls', description: 'The calls of an organisation, each with its signed record.' },
    { name: 'Audit', description: 'What is in an organisation’s ledger, for those who must check it.' },
    {
      name: 'Medical receipts',
      description:
        'What the log has of calls that have to do with patients, each with all that shows it to somebody else.',
    },
    { name: 'Content', description: 'The prompts and answers that an organisation keeps, where it does.' },
    {
      name: 'Compliance',
      description:
        'What this gateway can show of readiness for law and standards, and what it cannot. No legal advice.',
    },
    { name: 'Erasure', description: 'Erasing an organisation or an account, and the signed record of it.' },
    {
      name: 'Operator',
      description: 'The operator’s own routes; they do not exist where no operator token is configured.',
    },
    { name: 'Service', description: 'The service itself.' },
  ],
}

const bearer = (description: string) => ({ type: 'http' as const, scheme: 'bearer', description })

export const SECURITY_SCHEMES = {
  referralKey: bearer('A key that starts vk_test_ (sandbox) or vk_live_, requested by e-mail from the operator.'),
  gatewayKey: bearer('A key of the gateway, which starts aqta_ or sk-aqta-.'),
  managementKey: bearer('A key of the gateway with the scope manage, for programs.'),
  session: {
    type: 'apiKey' as const,
    in: 'cookie',
    name: '__Host-session',
    description:
      'A person who has signed in. Everything but GET also needs `origin: ` the service’s own address, which browsers send by themselves.',
  },
  operatorToken: bearer('OPERATOR_TOKEN, for the operator’s own routes.'),
}
