// npm run clients: tests SDKs for OpenAI's formats against the service.
import { join } from 'node:path'
import { driveSdks } from './clients/drive-sdks.ts'
import { listSdks } from './clients/sdk-list.ts'
import { runCommand, UsageError } from './command-line.ts'
import { makeTemporaryFolder } from './temporary-folder.ts'

const CACHE = join(import.meta.dirname, '../node_modules/.cache/clients')

const HELP = `Usage: npm run clients -- [options]

Tests pinned versions of OpenAI-compatible SDKs against a local service with emulated providers.

It installs those for Python with pip, and skips them if there is no Python.

  --only NAME      SDKs whose name contains NAME; repeatable (default all)
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
    const unknown = only.find((part) => !listSdks().some(({ name }) => name.includes(part)))
    if (unknown !== undefined) throw new UsageError(`There is no client named ${unknown}. --help lists the SDKs.`)
    const clients = listSdks().filter(({ name }) => only.length === 0 || only.some((part) => name.includes(part)))
    const folder = await makeTemporaryFolder()
    return (await driveSdks(clients, { folder, cache, isWritten: write })) ? 0 : 1
  },
})
