// npm run clients: tests API clients against the service: generated from its OpenAPI document, and SDKs for OpenAI's formats.
import { join } from 'node:path'
import { driveSdks } from './clients/sdks/drive-sdks.ts'
import { listSdks } from './clients/sdks/sdk-list.ts'
import { checkGeneratedClients } from './clients/generated/check-generated-clients.ts'
import { runCommand, UsageError } from './command-line.ts'
import { makeTemporaryFolder } from './temporary-folder.ts'

const GENERATED = 'generated'
const CACHE = join(import.meta.dirname, '../node_modules/.cache/clients')

const HELP = `npm run clients -- [--only NAME]… [--write] [--cache FOLDER]

Starts the service with the emulator behind it and has clients call it.

Generated: makes a client of the OpenAPI document by openapi-typescript, openapi-python-client and oapi-codegen, compiles each
and has it read a letter, take a held refusal for what it is, list waiting lists, complete a chat and be refused without a key.
Every answer is compared with that of a plain HTTP call.

Tested: OpenAI's SDKs and what is built on them, at pinned versions, each through every feature on every model. A line a
feature says how it went; at the end comes the table of docs/openai-compatibility.md. What was sent is looked at on its way, so
a client that does something else in silence does not pass.

Tools are fetched, at pinned versions, from the registries that npm, pip and go are set to. Python 3 (with venv) and Go must be
installed; what is not is skipped by name.

  --only NAME      ${GENERATED}, or the tested SDKs whose name contains NAME; may be repeated
  --write          put the table into docs/openai-compatibility.md; with --only, or without Python, the rows of those that ran
  --cache FOLDER   where Python environments are kept for the next run (node_modules/.cache/clients)

Tested SDKs: ${listSdks()
  .map(({ name }) => name)
  .join('; ')}.

Exit code 0: all that could be made works, or is refused by name where a model cannot do it. 1: something fails, or nothing
could be made. 2: the command line is wrong.`

process.exitCode = await runCommand(process.argv.slice(2), {
  help: HELP,
  options: {
    only: { type: 'string', multiple: true, default: [] },
    write: { type: 'boolean', default: false },
    cache: { type: 'string', default: CACHE },
  },
  async run({ values: { only, write, cache } }) {
    const unknown = only.find((part) => part !== GENERATED && !listSdks().some(({ name }) => name.includes(part)))
    if (unknown !== undefined) throw new UsageError(`There is no client named ${unknown}.`)
    const clients = listSdks().filter(({ name }) => only.length === 0 || only.some((part) => name.includes(part)))
    const folder = await makeTemporaryFolder()
    const doGeneratedPass = only.length > 0 && !only.includes(GENERATED) ? true : await checkGeneratedClients(folder)
    const doSdksPass = clients.length === 0 || (await driveSdks(clients, { folder, cache, isWritten: write }))
    return doGeneratedPass && doSdksPass ? 0 : 1
  },
})
