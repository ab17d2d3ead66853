// npm run erasures: lists and shows erasures, and applies them again after an older database was restored.
import { setTimeout as sleep } from 'node:timers/promises'
import { OperatorErasureSchema, type OperatorErasure } from '../../src/management/erasure/erasure.schema.ts'
import { listSchema } from '../../src/platform/pagination.schema.ts'
import { callOperator, OperatorError, type OperatorTarget } from './operator-client.ts'
import { requireId, pageQuery, callRoute, OPERATOR_EXIT_CODES, TARGET_HELP, type Command } from './command.ts'

const HELP = `Usage: npm run erasures -- VERB [options]

Lists and shows erasures of organisations and people, and repeats them after a restore.

  list [--cursor ID]   newest first, 50 per page
  show ID
  reapply [ID]         repeats one completed erasure, or all of them, and waits for the end;
                       run it after you restore a database, before you open the service

${TARGET_HELP}

Examples:
  npm run erasures -- list
  npm run erasures -- reapply --remote --url https://countersign.example

${OPERATOR_EXIT_CODES}`

const PageSchema = listSchema(OperatorErasureSchema())
const POLL_MS = 500
const MAX_POLLS = 1200

export const erasures: Command = {
  help: HELP,
  options: ['cursor'],
  verbs: {
    list: callRoute('GET', ({ flags }) => `/erasures${pageQuery(flags)}`, PageSchema),
    show: callRoute(
      'GET',
      ({ id }) => `/erasures/${requireId(id, 'the erasure’s id, era_…')}`,
      OperatorErasureSchema(),
    ),
    reapply: async ({ target, id }) => {
      const done = id === undefined ? await reapplyAll(target) : [await reapply(target, id)]
      return { object: 'list', data: done, has_more: false, next_cursor: null }
    },
  },
}

const show = (target: OperatorTarget, id: string): Promise<OperatorErasure> =>
  callOperator(target, OperatorErasureSchema(), 'GET', `/erasures/${encodeURIComponent(id)}`)

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
    `${done.length} erasures are done and these failed. Keep the service closed until they are done.\n\n${failures.join('\n')}`,
  )
}

/** Applies an erasure again and waits. Throws OperatorError after ten minutes, but the erasure continues by itself. */
async function reapply(target: OperatorTarget, id: string): Promise<OperatorErasure> {
  const path = `/erasures/${encodeURIComponent(id)}/reapply`
  let erasure = await callOperator(target, OperatorErasureSchema(), 'POST', path)
  for (let poll = 0; erasure.status === 'running'; poll += 1) {
    if (poll === MAX_POLLS)
      throw new OperatorError(`${id} is still running. Check it later with npm run erasures -- show ${id}.`)
    await sleep(POLL_MS)
    erasure = await show(target, id)
  }
  return erasure
}
