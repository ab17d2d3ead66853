// npm run bench -- ledger: counts the rows, statements and requests of calls and of a chat's whole life, in the service itself.
// It also measures the CPU of an object's turns and proofs. docs/performance.md explains the numbers.
import { join } from 'node:path'
import { DAY_MS } from '../../src/platform/time.ts'
import { runCommand, UsageError, wholeNumber } from '../command-line.ts'
import { makeStorageFolder } from '../temporary-folder.ts'
import { withCountedService, type CountedService } from './ledger/counted-service.ts'
import { countChatLifetime, reportChatLifetime } from './ledger/chat-lifetime.ts'
import { measureCpuTimes } from './ledger/cpu-times.ts'
import { countTurns, reportTurns } from './ledger/turn-counts.ts'

const PARTS = ['turns', 'life', 'times'] as const
type Part = (typeof PARTS)[number]

const HELP = `Usage: npm run bench -- ledger [options]

Counts database rows and requests of calls, and measures the CPU of turns and proofs.

  --only PART      turns (rows per call), life (a chat's lifetime and cost) or times (CPU of
                   turns, proofs and a start); default all
  --chats N        chats in the lifetime (default 36000, an hour at ten per second)
  --a-day N        chats per day (default 864000, ten per second)
  --entries LIST   log sizes for times, ascending, with commas (default 1000)
  --rounds N       rounds for times (default 5)
  --storage KIND   databases in memory (Linux) or on disk (default memory)

Example:
  npm run bench -- ledger --only turns

Exit codes: 0 done, 2 wrong command line.`

/** Turns checkpoints off. The public log signs one every minute even without entries, which is no part of a chat's life. */
const NO_CHECKPOINTS = { LOG_KEYS: '[]' }

export const benchLedger = (args: readonly string[]): Promise<number> =>
  runCommand(args, {
    help: HELP,
    options: {
      only: { type: 'string' },
      chats: { type: 'string', default: '36000' },
      'a-day': { type: 'string', default: '864000' },
      entries: { type: 'string', default: '1000' },
      rounds: { type: 'string', default: '5' },
      storage: { type: 'string', default: 'memory' },
    },
    async run({ values: { only, storage, ...numberTexts } }) {
      const parts = PARTS.filter((part) => only === undefined || part === only)
      if (parts.length === 0) throw new UsageError(`--only needs one of ${PARTS.join(', ')}.`)
      const sizes = numberTexts.entries.split(',').map((size) => wholeNumber('entries', size))
      const chats = wholeNumber('chats', numberTexts.chats)
      const paceMs = Math.round(DAY_MS / wholeNumber('a-day', numberTexts['a-day']))
      const rounds = wholeNumber('rounds', numberTexts.rounds, 1, 1000)
      const folder = await makeStorageFolder(storage)
      const reports: string[] = []
      if (parts.includes('turns') || parts.includes('life')) {
        const count = (service: CountedService) => countIn(service, parts, { chats, paceMs })
        reports.push(...(await withCountedService(join(folder, 'counted'), count, NO_CHECKPOINTS)))
      }
      if (parts.includes('times')) reports.push(await measureCpuTimes(join(folder, 'times'), sizes, rounds))
      console.log(reports.join('\n\n'))
    },
  })

/** Counts turns, then a chat's lifetime if asked for. The lifetime count repeats a chat that the first count sent over HTTP. */
async function countIn(
  service: CountedService,
  parts: readonly Part[],
  { chats, paceMs }: { chats: number; paceMs: number },
): Promise<string[]> {
  const turns = await countTurns(service)
  const reports = parts.includes('turns') ? [reportTurns(turns)] : []
  if (!parts.includes('life')) return reports
  const { cpuMicroseconds = Number.NaN } = turns.find(({ kind }) => kind === 'chat') ?? {}
  return [...reports, reportChatLifetime(await countChatLifetime(service, chats, paceMs), cpuMicroseconds)]
}
