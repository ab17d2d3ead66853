// npm run demo:keys, npm run tour: print the keys and people of a local start, and what to try with them.
import { runCommand, runSubcommand, UsageError } from './command-line.ts'
import { readYear } from './local/demo-year/fill-year.ts'
import { DEFAULT_STATE, environmentFile, pathForShell, readLocalFacts, type LocalFacts } from './local/local-facts.ts'
import { DOCUMENTS_TIER, readLocalOrganisations } from './local/local-organisations.ts'
import { readTour, type TourTopic } from './local/read-tour.ts'

const HELP = `Usage: node scripts/demo.ts keys | tour [options]

Prints the keys and people of a local start, or what to try with them.

Example:
  node scripts/demo.ts tour --help

Exit codes: 0 printed, 1 nothing started yet, 2 wrong command line.`

const KEYS_HELP = `Usage: npm run demo:keys [-- options]

Prints the keys and people that npm start has made. They work while npm start runs.

  --persist-to FOLDER  folder of the storage (default .wrangler/state)

Example:
  npm run demo:keys

Exit codes: 0 printed, 1 nothing started yet, 2 wrong command line.`

const TOUR_HELP = `Usage: npm run tour [-- TOPIC] [options]

Lists the guides whose commands can be tried on a local start, or prints the commands of one.

  --persist-to FOLDER  folder of the storage (default .wrangler/state)

Examples:
  npm run tour
  npm run tour -- block-personal-data

Exit codes: 0 printed, 1 nothing started yet, 2 wrong command line.`

const STATE = { 'persist-to': { type: 'string', default: DEFAULT_STATE } } as const

const keys = (args: readonly string[]): Promise<number> =>
  runCommand(args, {
    help: KEYS_HELP,
    options: STATE,
    run: ({ values: { 'persist-to': state } }) => console.log(describeKeys(state, startedIn(state))),
  })

const tour = (args: readonly string[]): Promise<number> =>
  runCommand(args, {
    help: TOUR_HELP,
    options: STATE,
    takesArguments: true,
    run({ values: { 'persist-to': state }, positionals: [name, ...more] }) {
      if (more.length > 0) throw new UsageError('The tour takes one topic. Leave the others out.')
      const facts = startedIn(state)
      const topics = readTour().filter(({ needsYear }) => facts.demo || !needsYear)
      if (name === undefined) return console.log(listTopics(topics, facts))
      const topic = topics.find((one) => one.name === name)
      const names = topics.map((one) => one.name).join(', ')
      if (topic === undefined) throw new UsageError(`The tour has no topic of this name. Choose one of: ${names}.`)
      console.log(showTopic(topic, state))
    },
  })

/** Throws if no start has used the storage. */
function startedIn(state: string): LocalFacts {
  const facts = readLocalFacts(state)
  if (facts !== null) return facts
  throw new Error(`There are no keys in ${state} yet. Run npm start first.`)
}

function describeKeys(state: string, { url }: LocalFacts): string {
  const demo = readLocalOrganisations(state)
  if (demo === null) throw new Error(`There are no keys in ${state} yet. Run npm start first.`)
  const tenants = Object.entries(demo.tenants)
  const year = readYear(state)
  const rows = [
    ['sandbox', 'KEY', demo.sandboxKey],
    ['live', 'LIVE_KEY', demo.liveKey],
    ...tenants.map(([tier, { key }]) => [`tier ${tier}`, tier === DOCUMENTS_TIER ? 'GATEWAY_KEY' : '', key]),
    [`tier ${DOCUMENTS_TIER}, scope manage`, 'MANAGEMENT_KEY', demo.tenants[DOCUMENTS_TIER].managementKey],
  ]
  const people = tenants.map(([tier, { email, password }]) => [`owner, tier ${tier}`, email, password])
  if (year !== null) {
    rows.push(['demo, calls', 'DEMO_KEY', year.chatKey], ['demo, scope manage', 'DEMO_MANAGEMENT_KEY', year.key])
    people.push(['demo, owner', year.owner.email, year.owner.password])
    people.push(['demo, second person', year.approver.email, year.approver.password])
  }
  return `Keys, with the variables that . ${pathForShell(environmentFile(state))} sets. A sandbox key reads the example letters, a live key
any invented letter; the others call models.

${table(rows)}

People who sign in at ${url}/sign-in: e-mail, password.

${table(people)}`
}

function listTopics(topics: readonly TourTopic[], facts: LocalFacts): string {
  return `npm run tour -- TOPIC prints the lines to paste. Each is a page too: ${facts.url}/docs/TOPIC

${table(topics.map(({ name, sentence }) => [name, sentence]))}${
    facts.demo ? '' : '\n\nMore topics, about 90 days of calls: npm start -- --demo'
  }`
}

/** Returns a topic's text. Its first line sets the variables of all the others. */
const showTopic = ({ text }: TourTopic, state: string): string =>
  `Paste this line first, once in each terminal. It sets the variables of the others.

. ${pathForShell(environmentFile(state))}

${text}`

function table(rows: readonly (readonly string[])[]): string {
  const widths = rows.reduce<number[]>((most, row) => row.map((cell, at) => Math.max(most[at] ?? 0, cell.length)), [])
  return rows.map((row) => `  ${row.map((cell, at) => cell.padEnd(widths[at] ?? 0)).join('  ')}`.trimEnd()).join('\n')
}

try {
  process.exitCode = await runSubcommand(process.argv.slice(2), HELP, { keys, tour })
} catch (thrown) {
  console.error(thrown instanceof Error ? thrown.message : 'failed')
  process.exitCode = 1
}
