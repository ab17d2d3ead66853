// `npm run data:publish`: as an operator runs it, and, where a process of its own tells nothing more, in this one.
import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { runDataPublish } from '../../../scripts/data-publish.ts'
import { withWaitingListStore } from '../../../scripts/storage-bindings.ts'
import { createDatasetsService } from '../../../src/referral/waiting-lists/datasets.service.ts'
import type { WaitingListStore } from '../../../src/referral/waiting-lists/waiting-lists.store.ts'

interface Finished {
  code: number | string | null | undefined
  out: string
  err: string
}

export async function dataPublish(...args: string[]): Promise<Finished> {
  const command = ['--env-file=.env', 'scripts/data-publish.ts', ...args]
  const cwd = join(import.meta.dirname, '../../..')
  return await new Promise((resolve) => {
    execFile(process.execPath, command, { cwd }, (error, out, err) => {
      resolve({ code: error === null ? 0 : error.code, out, err })
    })
  })
}

export type Desk = {
  store: WaitingListStore
  publish: (...args: string[]) => Promise<Finished>
  close: () => Promise<void>
}

/** Local storage, opened once for all commands given to it. */
export async function openDesk(persistTo: string): Promise<Desk> {
  const opened = Promise.withResolvers<WaitingListStore>()
  const leaving = Promise.withResolvers<void>()
  const closed = withWaitingListStore({ persistTo }, async (store) => {
    opened.resolve(store)
    await leaving.promise
  })
  closed.catch(opened.reject)
  const store = await opened.promise
  return {
    store,
    async publish(...args) {
      const [out, err]: [string[], string[]] = [[], []]
      const code = await runDataPublish(args, {
        print: (text) => out.push(`${text}\n`),
        report: (text) => err.push(`${text}\n`),
        overwrite: null,
        withDatasets: (_, work) => work(createDatasetsService(store, Date.now())),
      })
      return { code, out: out.join(''), err: err.join('') }
    },
    async close() {
      leaving.resolve()
      await closed
    },
  }
}
