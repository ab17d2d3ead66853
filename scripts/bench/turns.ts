// npm run bench -- turns: counts the rows, statements and requests of calls and of a chat's whole life, in the service itself.
// docs/performance.md explains the numbers.
import { DAY_MS } from '../../src/platform/time.ts'
import { runCommand, wholeNumber } from '../command-line.ts'
import { makeStorageFolder } from '../temporary-folder.ts'
import { withCountedService } from './turns/counted-service.ts'
import { countChatLifetime, reportChatLifetime } from './turns/chat-lifetime.ts'
import { countTurns, reportTurns } from './turns/turn-counts.ts'

const HELP = `Usage: npm run bench -- turns [options]

Counts database rows and requests of calls.

  --life           counts a chat's whole life too, and what it costs
  --chats N        chats in the life (default 36000, an hour at ten per second)
  --a-day N        chats per day (default 864000, ten per second)
  --storage KIND   databases in memory (Linux) or on disk (default memory)

Example:
  npm run bench -- turns --life

Exit codes: 0 done, 2 wrong command line.`

/** Turns checkpoints off. The public log signs one every minute even without entries, which is no part of a chat's life. */
const NO_CHECKPOINTS = { LOG_KEYS: '[]' }

export const benchTurns = (args: readonly string[]): Promise<number> =>
  runCommand(args, {
    help: HELP,
    options: {
      life: { type: 'boolean', default: false },
      chats: { type: 'string', default: '36000' },
      'a-day': { type: 'string', default: '864000' },
      storage: { type: 'string', default: 'memory' },
    },
    async run({ values: { life, storage, ...numberTexts } }) {
      const chats = wholeNumber('chats', numberTexts.chats)
      const paceMs = Math.round(DAY_MS / wholeNumber('a-day', numberTexts['a-day']))
      const folder = await makeStorageFolder(storage)
      await withCountedService(
        folder,
        async (service) => {
          const turns = await countTurns(service)
          console.log(reportTurns(turns))
          if (!life) return
          // The life repeats a chat that the first count sent over HTTP.
          const { cpuMicroseconds = Number.NaN } = turns.find(({ kind }) => kind === 'chat') ?? {}
          console.log(`\n${reportChatLifetime(await countChatLifetime(service, chats, paceMs), cpuMicroseconds)}`)
        },
        NO_CHECKPOINTS,
      )
    },
  })
