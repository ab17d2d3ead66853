// One service, stopped again and again under load and started over the same storage; after each end its books are
// reconciled with all that was seen from outside since the beginning.
import { cp, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { startEmulator } from '../../../../scripts/emulator/server.ts'
import type { RecordedRequest } from '../../../../scripts/emulator/request-recorder.ts'
import type { EndpointId } from '../../../../src/providers/provider-registry.ts'
import { MINUTE_MS } from '../../../../src/platform/time.ts'
import type { OperatorTarget } from '../../../../scripts/operator/operator-client.ts'
import { anchorsIn, findPublicFaults, findUnpublished, idOfAnchor } from './public-faults.ts'
import { type Books, faultIf, readAllBooks } from './books.ts'
import { stopAndCopy } from './images.ts'
import { type Load, markerIn, nothingSeen, type Seen, type Sent, startLoad } from './clients.ts'
import { buildCrashService, type Life, type LifeOptions } from './crash-service.ts'
import { decisionsIn } from './decisions.ts'
import { findCopyFaults, findStaleCopy, readCopiedSettings } from './copied-settings.ts'
import { findProofFaults } from './proofs.ts'
import { withHourCounted } from './money-faults.ts'
import { readPublicBooks } from './public-books.ts'
import { findContentFaults } from './content-faults.ts'
import { findFaults, findToldFaults, type Witness } from './reconcile.ts'
import { countOverdue, createRetention } from './retention.ts'
import { countBooks, countSent, type Reconciled } from './reconciled.ts'
import { askTold, found, inTime, lookAt, providerVars, until, untilPublished, wake } from './service-calls.ts'
import type { Arm, Told } from './steps.ts'

/** Point at which the service is killed: an armed step, or a condition seen from outside. */
export type Cut = { name: string } & ({ arm: Arm } | OutsideCut)

type OutsideCut = {
  /** Behaviour of a provider at its next request. */
  behave?: { provider: EndpointId; behaviour: string }
  when: (view: View) => boolean
}

/** Requests that were sent in this life, and requests that providers received. */
export type View = { sent: readonly Sent[]; requests: () => readonly RecordedRequest[] }

/** `faults`: of what is kept and copied; `stale`: of a copy once the settings were looked at. */
type OwnBooks = { organisationId: string; books: Books; faults: string[]; stale: string[]; overdue: number }

export type CrashRun = {
  /** Under load until the cut, then killed. */
  killAt: (cut: Cut) => Promise<Reconciled>
  /** Under load until each of these has come about; the service goes on. */
  disturb: (arms: readonly Arm[]) => Promise<Reconciled>
  /** Under load on a disk that is soon full, until so many calls were answered 503. */
  fillDisk: (unavailable: number) => Promise<Reconciled>
  /** Left alone until every receipt is in the public log; then proofs are asked for and checked. */
  settleDown: () => Promise<Reconciled>
  /** Under load, with so many images of the disk at random moments: each is reconciled, and the next life begins from the last. */
  losePower: (images: number) => Promise<Reconciled>
  /** Wakes every organisation when what it has is older than a week; the arms come about meanwhile. */
  putAway: (...arms: Arm[]) => Promise<Reconciled>
  /** The same when the retention of all that was written under load is over. */
  expire: (...arms: Arm[]) => Promise<Reconciled>
  /** Wakes every organisation when what is open has been open too long; killed at the step, if one is armed. */
  wakeLater: (arm: Arm | null) => Promise<Reconciled>
  close: () => Promise<void>
}

/** An image of a disk, with what was seen of the service by then. */
type Image = { place: string; seen: Seen; provided: ReadonlyMap<string, number> }

const MOST_BETWEEN_IMAGES_MS = 500

/** Time after which entries older than a week may leave. */
const AGED_MS = 8 * 86_400_000
/** Time after which all that is stored for `RETENTION_DAYS` has expired, also what is written during the archiving. */
const OVER_MS = 60 * 86_400_000
/** An object cleans once in a day. */
const CLEANED_AGAIN_MS = 2 * 86_400_000
const STEPS_OF_CLEANING = 6

const WARM = 30
/** Some dozens of calls. */
const SMALL_DISK_BYTES = 288 * 1024
/** Later than an unsettled request is taken to be cut off. */
const LATER_MS = 16 * 60_000

/** @param alarmSpeed as `buildCrashService` takes it */
export async function startCrashRun(alarmSpeed?: number): Promise<CrashRun> {
  const folder = await mkdtemp(join(tmpdir(), 'countersign-crashes-'))
  const emulator = await startEmulator({ record: true })
  const service = await buildCrashService(folder, providerVars(emulator), alarmSpeed)
  const { callers, publicKey } = await found(service)
  const seen = nothingSeen()
  const provided = new Map<string, number>()

  let life: Life | null = null
  let decided = 0
  let aheadMs = AGED_MS
  /** How far ahead any life was. */
  let mostAheadMs = 0
  /** Index of the first request since the clock was last set ahead: claims older than a day were deleted then. */
  let claimedFrom = 0
  const now = (): number => Date.now() + mostAheadMs
  const retention = createRetention(now)
  /** As the last life has left them. */
  let left: readonly OwnBooks[] = []
  /** Faults that were there when this life began. */
  let faultsOfStart: readonly string[] = []
  /** In which hour the life before began. */
  let hourOfLast = hourNow()

  /** Before anything is asked of it, a life holds what the one before has written, or it has been killed already. */
  async function begin(options: LifeOptions): Promise<Life> {
    await life?.stop()
    mostAheadMs = Math.max(mostAheadMs, options.clockAheadMs ?? 0)
    if (options.clockAheadMs !== undefined) claimedFrom = seen.sent.length
    const begun = await service.start(options)
    life = begun
    // A clock ahead may settle what was open before anybody asks. Each question is counted, and that takes disk space.
    const isToBeAsked = options.clockAheadMs === undefined && options.largestFileBytes === undefined
    faultsOfStart = isToBeAsked ? await findFaultsOfStart(begun) : []
    return begun
  }

  async function findFaultsOfStart({ target, isKilled }: Life): Promise<string[]> {
    try {
      const told = await askAll(target)
      const lastHour = hourOfLast
      hourOfLast = hourNow()
      return left.flatMap(({ organisationId, books }) => {
        const one = orThrow(told.get(organisationId))
        // An object that starts as the hour has turned may write the hour's counts before it is asked: one entry, and nothing else.
        const hasCounted = hourOfLast !== lastHour && one.next === books.leaves.length + 1
        return findToldFaults(books, hasCounted ? { ...one, next: one.next - 1 } : one)
      })
    } catch (thrown) {
      if (isKilled()) return []
      throw thrown
    }
  }

  /** Each waking is one step of what is put away. */
  async function wakeOften(target: OperatorTarget): Promise<void> {
    for (let step = 0; step < STEPS_OF_CLEANING; step += 1) {
      await Promise.all(callers.map(({ organisationId }) => wake(target, organisationId)))
    }
  }

  const askAll = async (target: OperatorTarget): Promise<Map<string, Told>> =>
    new Map(
      await Promise.all(
        callers.map(async ({ organisationId }) => [organisationId, await askTold(target, organisationId)] as const),
      ),
    )

  /** @param told what the objects held at the end, where they could be asked */
  async function reconcile(sent: readonly Sent[], told: ReadonlyMap<string, Told> = new Map()): Promise<Reconciled> {
    await emulator.idle()
    for (const marker of markersNow()) provided.set(marker, (provided.get(marker) ?? 0) + 1)
    emulator.reset()
    const { faults, owned, log } = await readDisk(folder, { seen, provided })
    left = owned
    for (const { organisationId, books } of owned) retention.remember(organisationId, books)
    const ledgers = owned.map(({ books }) => books)
    decided = ledgers.flatMap(decisionsIn).length
    const unheld = owned.flatMap(({ organisationId, books }) => {
      const one = told.get(organisationId)
      return one === undefined ? [] : findToldFaults(books, withHourCounted(books, one))
    })
    const published = { leaves: log.leaves.length, unpublished: findUnpublished(log, ledgers) }
    const all = [...faultsOfStart, ...faults, ...unheld]
    const overdue = owned.reduce((sum, one) => sum + one.overdue, 0)
    return { faults: all, overdue, ...countSent(sent), ...countBooks(ledgers), ...published }
  }

  const markersNow = (): string[] =>
    emulator.requests().map(({ body }) => markerIn(body) ?? 'a prompt that nobody sent')

  /** All that were ever on disk. Later neither a row nor a batch tells which leaves they are. */
  const anchorIds = new Set<string>()

  /** Reads a disk, together with what was seen by then. */
  async function readDisk(place: string, witness: Omit<Witness, 'publicKey'>) {
    const all = await readAllBooks(place)
    const copies = await readCopiedSettings(place)
    const owned = callers.flatMap(({ organisationId, keyId }): OwnBooks[] => {
      const onDisk = all.find(({ keyIds }) => keyIds.includes(keyId))
      if (onDisk === undefined) return []
      const { books, faults } = retention.complete(organisationId, onDisk)
      const copy = copies.get(organisationId)
      const acts = witness.seen.acts.filter((act) => act.organisationId === organisationId)
      const stale = findStaleCopy(books, copy)
      const overdue = countOverdue(onDisk, now())
      return [{ organisationId, books, stale, overdue, faults: [...faults, ...findCopyFaults(books, copy, acts)] }]
    })
    const ledgers = owned.map(({ books }) => books)
    const log = await readPublicBooks(place)
    const anchorsNow = [...log.anchored.map(({ attestation_id: id }) => id), ...all.flatMap(anchorsIn).map(idOfAnchor)]
    for (const id of anchorsNow) anchorIds.add(id)
    const contents = await Promise.all(ledgers.map((books) => findContentFaults(books, now())))
    const sent = new Set([...witness.seen.sent, ...witness.seen.letters].map(({ marker }) => marker))
    const faults = [
      ...[...witness.provided.keys()].filter((marker) => !sent.has(marker)).map((marker) => `a provider got ${marker}`),
      ...owned.flatMap((one) => one.faults),
      ...owned.flatMap(({ organisationId, books }) => findFaults(organisationId, books, { ...witness, publicKey })),
      ...contents.flat(),
      ...findPublicFaults(log, ledgers, { heads: witness.seen.publicHeads, publicKey, anchorIds }),
      ...faultIf(callers.length !== ledgers.length, 'an organisation has no books'),
    ]
    return { faults, owned, log }
  }

  /** The disk as it is at this moment, with what was seen so far. The process stands still meanwhile. */
  async function takeImage({ pid }: Life): Promise<Image> {
    const place = await stopAndCopy(pid, folder)
    const counted = new Map(provided)
    for (const marker of markersNow()) counted.set(marker, (counted.get(marker) ?? 0) + 1)
    return { place, seen: structuredClone(seen), provided: counted }
  }

  /** Whatever becomes of the work, nothing is sent afterwards. */
  async function underLoad(target: OperatorTarget, work: (load: Load) => Promise<void>): Promise<Reconciled> {
    const load = startLoad(target, callers, seen, claimedFrom)
    try {
      await work(load)
    } finally {
      await load.stop()
    }
    return reconcile(load.sent())
  }

  /** A day further on each time. */
  async function clean(...arms: Arm[]): Promise<Reconciled> {
    const clockAheadMs = aheadMs
    aheadMs += CLEANED_AGAIN_MS
    const { target, killed, reached, stop } = await begin({ arms: [...arms], clockAheadMs })
    const woken = wakeOften(target)
    if (arms.some(({ action }) => action === 'kill')) {
      await Promise.all([inTime(killed), woken.catch(() => {})])
      return reconcile([])
    }
    // A call that wakes an aborted object gets no answer, and wakes it again.
    const again = arms.filter(({ action }) => action === 'abort').map(() => () => wakeOften(target))
    await again.reduce((before, wakeAgain) => before.catch(wakeAgain), woken)
    const told = await askAll(target)
    if (reached() !== arms.length) throw new Error('an armed step was not reached')
    await stop()
    return reconcile([], told)
  }

  return {
    async killAt(cut) {
      if ('behave' in cut && cut.behave !== undefined) emulator.behave(cut.behave.provider, [cut.behave.behaviour])
      const { target, kill, killed } = await begin({ arms: 'arm' in cut ? [cut.arm] : [] })
      return underLoad(target, async (load) => {
        if ('arm' in cut) return inTime(killed)
        await until(() => cut.when({ sent: load.sent(), requests: emulator.requests }))
        await kill()
      })
    },
    async disturb(arms) {
      const { target, reached, stop } = await begin({ arms })
      return underLoad(target, async (load) => {
        await until(() => reached() === arms.length)
        const before = load.sent().length
        await until(() => isWarm(load.sent().slice(before)))
        await load.stop()
        await stop()
      })
    },
    async fillDisk(unavailable) {
      const { target, stop } = await begin({ largestFileBytes: SMALL_DISK_BYTES })
      return underLoad(target, async (load) => {
        await until(() => load.sent().filter(({ status }) => status === 503).length >= unavailable)
        await load.stop()
        await stop()
      })
    },
    async losePower(images) {
      const begun = await begin({})
      const inImages: string[] = []
      const reconciled = await underLoad(begun.target, async (load) => {
        await until(() => isWarm(load.sent()))
        for (let image = 1; image <= images; image += 1) {
          await sleep(Math.random() * MOST_BETWEEN_IMAGES_MS)
          const { place, ...witness } = await takeImage(begun)
          if (image === images) {
            // It goes on from the image: nothing comes out of the stopped process any more.
            await begun.kill()
            await rm(join(folder, 'objects'), { recursive: true })
            await cp(join(place, 'objects'), join(folder, 'objects'), { recursive: true })
          } else process.kill(begun.pid, 'SIGCONT')
          inImages.push(...(await readDisk(place, witness)).faults)
          await rm(place, { recursive: true })
        }
      })
      return { ...reconciled, faults: [...inImages, ...reconciled.faults] }
    },
    putAway: clean,
    expire(...arms) {
      aheadMs = Math.max(aheadMs, OVER_MS)
      return clean(...arms)
    },
    async wakeLater(arm) {
      const { target, killed, stop } = await begin({ arms: arm === null ? [] : [arm], clockAheadMs: LATER_MS })
      const woken = Promise.allSettled(callers.map(({ organisationId }) => wake(target, organisationId)))
      if (arm !== null) await inTime(killed)
      const isAsleep = (await woken).some(({ status }) => status === 'rejected')
      if (arm === null && isAsleep) throw new Error('an organisation did not wake')
      const told = arm === null ? await askAll(target) : undefined
      await stop()
      return reconcile([], told)
    },
    async settleDown() {
      const { target, stop } = await begin({})
      await untilPublished(target, decided + anchorIds.size)
      const unproven = await findProofFaults(target, callers, seen, publicKey)
      for (const { organisationId } of callers) await lookAt(target, organisationId)
      const told = await askAll(target)
      await stop()
      const reconciled = await reconcile([], told)
      const stale = left.flatMap((one) => one.stale)
      return { ...reconciled, faults: [...reconciled.faults, ...unproven, ...stale] }
    },
    async close() {
      await life?.stop()
      await service.close()
      await emulator.close()
      await rm(folder, { recursive: true })
    },
  }
}

/** True if so many requests were answered in full that there is load. */
export const isWarm = (sent: readonly Sent[]): boolean => sent.filter(({ isWhole }) => isWhole).length >= WARM

function orThrow<T>(value: T | undefined): T {
  if (value === undefined) throw new RangeError('an organisation was not asked')
  return value
}

const hourNow = (): number => Math.floor(Date.now() / (60 * MINUTE_MS))
