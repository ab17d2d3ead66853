// npm run erasures: the operator lists and shows erasures and, after a database was taken back, does them again.
import { setTimeout as sleep } from 'node:timers/promises'
import { OperatorErasureSchema, type OperatorErasure } from '../src/management/erasure/erasure.schema.ts'
import { listOf } from '../src/platform/list.schema.ts'
import { callOperator, OperatorError, UsageError, type Target } from './operator/client.ts'
import { runCommand } from './operator/command.ts'

const HELP = `npm run erasures -- VERB [options]

  list [--cursor ID]   of organisations and of people, newest first, 50 a page
  show ID
  reapply [ID]         does a completed erasure again, or all of them, and waits until they are done; one that is scheduled
                       stays so: after a database was taken back, before the service is opened. Harmless twice

  --remote      a deployment: its address from --url or COUNTERSIGN_URL, its OPERATOR_TOKEN from the environment
  --url URL     another address than http://127.0.0.1:8787
  --json        the answer as JSON`

const PageSchema = listOf(OperatorErasureSchema)
const POLL_MS = 500
const MOST_POLLS = 1200

await runCommand({
  help: HELP,
  options: ['cursor'],
  verbs: {
    list: ({ target, flags }) => listFrom(target, flags['cursor']),
    show: ({ target, arguments: [id] }) => show(target, given(id)),
    reapply: async ({ target, arguments: [id] }) => {
      const done = id === undefined ? await reapplyAll(target) : [await reapply(target, id)]
      return { object: 'list', data: done, has_more: false, next_cursor: null }
    },
  },
})

function listFrom(target: Target, cursor: string | undefined) {
  const query = cursor === undefined ? '' : `?${new URLSearchParams({ cursor }).toString()}`
  return callOperator(target, PageSchema, 'GET', `/erasures${query}`)
}

function show(target: Target, id: string): Promise<OperatorErasure> {
  return callOperator(target, OperatorErasureSchema, 'GET', `/erasures/${encodeURIComponent(id)}`)
}

/** All but those that were cancelled. */
async function listIds(target: Target): Promise<string[]> {
  const ids: string[] = []
  let cursor: string | undefined
  do {
    const page = await listFrom(target, cursor)
    ids.push(...page.data.filter(({ status }) => status !== 'cancelled').map(({ id }) => id))
    cursor = page.next_cursor ?? undefined
  } while (cursor !== undefined)
  return ids
}

/** One that cannot be done keeps none of the others from it. Throws OperatorError when all were tried. */
async function reapplyAll(target: Target): Promise<OperatorErasure[]> {
  const done: OperatorErasure[] = []
  const failures: string[] = []
  for (const id of await listIds(target)) {
    try {
      done.push(await reapply(target, id))
    } catch (thrown) {
      if (!(thrown instanceof OperatorError)) throw thrown
      // It was found to be cancelled, by the organisation itself or by a later one that was done.
      const isCancelled = (await show(target, id).catch(() => null))?.status === 'cancelled'
      if (!isCancelled) failures.push(`${id}: ${thrown.message}`)
    }
  }
  if (failures.length === 0) return done
  throw new OperatorError(
    `${done.length} are done; these are not, so leave the service closed:\n${failures.join('\n')}`,
  )
}

/** Throws OperatorError where it is not done within ten minutes: it goes on by itself. */
async function reapply(target: Target, id: string): Promise<OperatorErasure> {
  const path = `/erasures/${encodeURIComponent(id)}/reapply`
  let erasure = await callOperator(target, OperatorErasureSchema, 'POST', path)
  for (let poll = 0; erasure.status === 'running'; poll += 1) {
    if (poll === MOST_POLLS)
      throw new OperatorError(`${id} is still running. Ask again: npm run erasures -- show ${id}`)
    await sleep(POLL_MS)
    erasure = await show(target, id)
  }
  return erasure
}

function given(id: string | undefined): string {
  if (id === undefined) throw new UsageError('Say which erasure: its id, era_…')
  return id
}
