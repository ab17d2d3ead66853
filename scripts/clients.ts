// npm run clients: tests API clients against the service: generated from its OpenAPI document, and SDKs for OpenAI's formats.
import { join } from 'node:path'
import { driveSdks } from './clients/sdks/drive-sdks.ts'
import { listSdks } from './clients/sdks/sdk-list.ts'
import { checkGeneratedClients } from './clients/generated/check-generated-clients.ts'
import { runCommand, UsageError } from './command-line.ts'
import { makeTemporaryFolder } from './temporary-folder.ts'

const GENERATED = 'generated'
const CACHE = join(import.meta.dirname, '../node_modules/.cache/clients')

const HELP = `Usage: npm run clients -- [options]

Tests API clients against a local service with emulated providers.

It tests three clients generated from the OpenAPI document, and pinned versions of OpenAI-compatible
SDKs. It installs them with npm, pip and go, and skips a client if its tool is missing.

  --only NAME      ${GENERATED}, or SDKs whose name contains NAME; repeatable (default all)
  --write          writes the results into docs/openai-compatibility.md
  --cache FOLDER   Python environments (default node_modules/.cache/clients)

SDKs:
${[...new Set(listSdks().map(({ name }) => `  ${name}`))].join('\n')}

Example:
  npm run clients -- --only openai-node

Exit codes: 0 all pass, 1 a failure or no client could run, 2 wrong command line.`

process.exitCode = await runCommand(process.argv.slice(2), {
  help: HELP,
  options: {
    only: { type: 'string', multiple: true, default: [] },
    write: { type: 'boolean', default: false },
    cache: { type: 'string', default: CACHE },
  },
  async run({ values: { only, write, cache } }) {
    const unknown = only.find((part) => part !== GENERATED && !listSdks().some(({ name }) => name.includes(part)))
    if (unknown !== undefined) throw new UsageError(`There is no client named ${unknown}. --help lists the SDKs.`)
    const clients = listSdks().filter(({ name }) => only.length === 0 || only.some((part) => name.includes(part)))
    const folder = await makeTemporaryFolder()
    const doGeneratedPass = only.length > 0 && !only.includes(GENERATED) ? true : await checkGeneratedClients(folder)
    const doSdksPass = clients.length === 0 || (await driveSdks(clients, { folder, cache, isWritten: write }))
    return doGeneratedPass && doSdksPass ? 0 : 1
  },
})
