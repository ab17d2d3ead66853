// npm run erasures: lists and shows erasures, and applies them again after an older database was restored.
import { setTimeout as sleep } from 'node:timers/promises'
import { OperatorErasureSchema, type OperatorErasure } from '../../src/management/erasure/erasure.schema.ts'
import { listSchema } from '../../src/platform/pagination.schema.ts'
import { callOperator, OperatorError, type OperatorTarget } from './operator-client.ts'
import { requireId, pageQuery, callRoute, TARGET_HELP, type Command } from './command.ts'

const HELP = `npm run erasures -- VERB [options]

  list [--cursor ID]   of organisations and of people, newest first, 50 a page
  show ID
  reapply [ID]         does a completed erasure again, or all of them, and waits until they are done; one that is scheduled
                       stays so: after a database was taken back, before the service is opened. Harmless twice

${TARGET_HELP}`

const PageSchema = listSchema(OperatorErasureSchema)
const POLL_MS = 500
const MAX_POLLS = 1200

export const erasures: Command = {
  help: HELP,
  options: ['cursor'],
  verbs: {
    list: callRoute('GET', ({ flags }) => `/erasures${pageQuery(flags)}`, PageSchema),
    show: callRoute(
      'GET',
      ({ id }) => `/erasures/${requireId(id, 'which erasure: its id, era_…')}`,
      OperatorErasureSchema,
    ),
    reapply: async ({ target, id }) => {
      const done = id === undefined ? await reapplyAll(target) : [await reapply(target, id)]
      return { object: 'list', data: done, has_more: false, next_cursor: null }
    },
  },
}

const show = (target: OperatorTarget, id: string): Promise<OperatorErasure> =>
  callOperator(target, OperatorErasureSchema, 'GET', `/erasures/${encodeURIComponent(id)}`)

/** Returns the ids of all erasures that were not cancelled. */
async function listIds(target: OperatorTarget): Promise<string[]> {
  const ids: string[] = []
  let cursor: string | undefined
  do {
    const page = await callOperator(target, PageSchema, 'GET', `/erasures${pageQuery({ cursor })}`)
    ids.push(...page.data.filter(({ status }) => status !== 'cancelled').map(({ id }) => id))
    cursor = page.next_cursor ?? undefined
  } while (cursor !== undefined)
  return ids
}

/** Tries all erasures, then throws OperatorError if one failed. */
async function reapplyAll(target: OperatorTarget): Promise<OperatorErasure[]> {
  const done: OperatorErasure[] = []
  const failures: string[] = []
  for (const id of await listIds(target)) {
    try {
      done.push(await reapply(target, id))
    } catch (thrown) {
      if (!(thrown instanceof OperatorError)) throw thrown
      // The organisation, or a later completed erasure, may have cancelled it.
      const isCancelled = (await show(target, id).catch(() => null))?.status === 'cancelled'
      if (!isCancelled) failures.push(`${id}: ${thrown.message}`)
    }
  }
  if (failures.length === 0) return done
  throw new OperatorError(
    `${done.length} are done; these are not, so leave the service closed:\n${failures.join('\n')}`,
  )
}

/** Applies an erasure again and waits. Throws OperatorError after ten minutes, but the erasure continues by itself. */
async function reapply(target: OperatorTarget, id: string): Promise<OperatorErasure> {
  const path = `/erasures/${encodeURIComponent(id)}/reapply`
  let erasure = await callOperator(target, OperatorErasureSchema, 'POST', path)
  for (let poll = 0; erasure.status === 'running'; poll += 1) {
    if (poll === MAX_POLLS) throw new OperatorError(`${id} is still running. Ask again: npm run erasures -- show ${id}`)
    await sleep(POLL_MS)
    erasure = await show(target, id)
  }
  return erasure
}
