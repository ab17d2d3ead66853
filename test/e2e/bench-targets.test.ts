// The benches: how servers take turns, how runs become ratios with intervals and verdicts, what a chat uses of what is billed, and
// what the counted service counts.
import { createServer } from 'node:http'
import { describe, expect, it, onTestFinished } from 'vitest'
import { readOtherGateway } from '../../scripts/bench/gateway/other-gateways.ts'
import { LATER, noCounts } from '../../scripts/bench/turns/counted-worker-api.ts'
import { billedUsageOf } from '../../scripts/bench/turns/chat-lifetime.ts'
import { StorageTally } from '../../scripts/bench/turns/storage-tally.ts'
import { measureCases, type CaseRuns, type Measurement } from '../../scripts/bench/measure-cases.ts'
import { addedTo, checkTargets, cpuRatioTo, reportCases, type Target } from '../../scripts/bench/benchmark-report.ts'
import { loadCheckout } from '../../scripts/bench/other-checkout.ts'
import { makeCall } from '../../scripts/bench/send-load.ts'
import { estimate } from '../../scripts/bench/statistics.ts'
import { listen } from '../../scripts/local-http-server.ts'

const run = (cpuMicroseconds: number, times: readonly number[] = [1]): Measurement => ({
  elapsedMs: 1,
  cpuMicroseconds,
  timings: times.map((elapsedMs) => ({ firstByteMs: 1, elapsedMs })),
})

const measured = (runs: Record<string, Measurement[]>): CaseRuns => ({
  name: 'a case',
  runs: new Map(Object.entries(runs)),
})

const meanOf = (values: readonly number[]): number => values.reduce((sum, one) => sum + one, 0) / values.length

describe('an interval', () => {
  const rounds = Array.from({ length: 20 }, (_, round) => round)

  it('is that of the mean where the figure is one: 1.96 standard errors to each side', () => {
    const { value, low, high } = estimate(rounds, meanOf)
    expect(value).toBe(9.5)
    expect([low, high].map((end) => Math.abs(end - value) / (1.96 * Math.sqrt(33.25 / 20)))).toEqual([
      expect.closeTo(1, 1),
      expect.closeTo(1, 1),
    ])
  })

  it('is the same in every run', () => {
    expect(estimate(rounds, meanOf)).toEqual(estimate(rounds, meanOf))
  })

  it('has no width where rounds do not differ, and no end where there are too few of them', () => {
    expect(estimate([3, 3, 3, 3, 3], meanOf)).toEqual({ value: 3, low: 3, high: 3 })
    expect(estimate([3, 3, 3, 3], meanOf)).toEqual({ value: 3, low: -Infinity, high: Infinity })
  })
})

describe('a figure', () => {
  it('of CPU is a ratio of sums, so that work that comes in some rounds only counts as what it is', () => {
    const one = measured({ gateway: [run(300), run(100), run(100)], floor: [run(100), run(100), run(50)] })
    expect(cpuRatioTo('floor')(one, 'gateway').value).toBe(2)
  })

  it('of CPU is that of a call', () => {
    const one = measured({ gateway: [run(300, [1, 1, 1])], floor: [run(100, [1, 1])] })
    expect(cpuRatioTo('floor')(one, 'gateway').value).toBe(2)
  })

  it('of time is a difference within each round, so that a round in which all is slow changes nothing', () => {
    const runs = {
      gateway: [run(1, [5, 9, 5]), run(1, [109]), run(1, [8])],
      floor: [run(1, [2]), run(1, [104]), run(1, [4])],
    }
    expect(addedTo('floor', 'elapsedMs')(measured(runs), 'gateway').value).toBe(4)
  })

  it('that no system has is left out of the table', () => {
    const columns = ['floor', 'against'].map((name) => ({ title: `/ ${name}`, figure: cpuRatioTo(name), digits: 1 }))
    expect(reportCases([measured({ gateway: [run(2)], floor: [run(1)] })], columns)).toBe(
      'a case   / floor\ngateway      2.0\nfloor        1.0',
    )
  })
})

describe('a target', () => {
  const CPU: Target = {
    title: 'CPU / floor',
    figure: cpuRatioTo('floor'),
    digits: 2,
    appliesTo: /^a case$/,
    system: 'gateway',
    most: 1.1,
    unit: '×',
  }
  const judged = (gateway: readonly number[], target: Partial<Target> = {}): string[] => {
    const floor = gateway.map(() => run(100))
    const runs = { gateway: gateway.map((cpuMicroseconds) => run(cpuMicroseconds)), floor }
    return checkTargets([measured(runs)], [{ ...CPU, ...target }])
  }

  it.each([
    [
      'is met where the whole interval is below',
      [100, 102, 104, 106, 108],
      '1.04 (1.02 to 1.06)×, target at most 1.1×: met',
    ],
    ['is met at its own value', [110, 110, 110, 110, 110], '1.10×, target at most 1.1×: met'],
    [
      'is missed where the whole interval is above',
      [120, 122, 124, 126, 128],
      '1.24 (1.22 to 1.26)×, target at most 1.1×: MISSED by 0.14×',
    ],
    [
      'is undecided within the interval, even where the figure itself is below',
      [104, 106, 108, 110, 112],
      '1.08 (1.06 to 1.10)×, target at most 1.1×: undecided, the target is within the interval',
    ],
    [
      'is undecided after few rounds, however clear they are',
      [10, 10, 10, 10],
      '0.10×, target at most 1.1×: undecided, too few rounds for an interval',
    ],
    ['says where it cannot be measured', [Number.NaN], 'not measurable on this system (target 1.1×)'],
  ])('%s', (_, cpu, line) => {
    expect(judged(cpu)).toEqual([`a case: CPU / floor: ${line}`])
  })

  it.each([
    ['of another case', { appliesTo: /^another/ }],
    ['of a system that was not measured', { system: 'another' }],
    ['over a baseline that was not measured', { figure: cpuRatioTo('another'), baseline: 'another' }],
  ])('%s is not judged', (_, target) => {
    expect(judged([150], target)).toEqual([])
  })
})

describe('in turns', () => {
  it('each server gets as many calls as the others, all at once, while the others have none', async () => {
    const open = new Map<string, number>()
    const seen: string[] = []
    const startSystem = async (name: string) => {
      const server = createServer((_, response) => {
        open.set(name, (open.get(name) ?? 0) + 1)
        seen.push([...open].filter(([, calls]) => calls > 0).join(' '))
        setImmediate(() => {
          open.set(name, (open.get(name) ?? 0) - 1)
          response.end()
        })
      })
      const { url, close } = await listen(server)
      onTestFinished(close)
      const nextCall = () => makeCall('', '/', null, () => true)
      return { name, server: { pid: process.pid, port: Number(new URL(url).port) }, nextCall }
    }
    const systems = [await startSystem('one'), await startSystem('two')]
    const options = { rounds: 3, durationMs: 1 }
    const [first] = await measureCases([{ name: 'a case', connections: 4, systems }], options)
    expect([...(first?.runs ?? [])].map(([name, runs]) => [name, runs.map(({ timings }) => timings.length)])).toEqual([
      ['one', [4, 4, 4]],
      ['two', [4, 4, 4]],
    ])
    expect(seen.filter((names) => names.includes(' '))).toEqual([])
  })
})

describe('an option that names a folder', () => {
  it.each(['portkey', '=folder', 'portkey=', 'constructor=folder'])('--beside %s is refused', (text) => {
    expect(() => readOtherGateway(text)).toThrow('--beside needs NAME=FOLDER. NAME is portkey or litellm.')
  })

  it('--beside is refused for a folder without the program, with how to install it', () => {
    expect(() => readOtherGateway('litellm=docs')).toThrow(
      '--beside: docs has no bin/litellm. Install it there: `python3 -m venv`, then `pip install "litellm[proxy]==1.105.3"` in it.',
    )
  })

  it('--against is refused for a folder that is no checkout', async () => {
    await expect(loadCheckout('docs')).rejects.toThrow(
      '--against: docs has no scripts/workerd/start-service.ts. Name a checkout of this project.',
    )
  })
})

describe('a chat', () => {
  const counts = { ...noCounts(), requests: 2, rowsWritten: 3, alarmsSet: 0.5, rowsRead: 7 }
  const usage = billedUsageOf(
    {
      times: 10,
      objects: { ORGANISATIONS: counts, PUBLIC_LOG: { ...noCounts(), rowsWritten: 1 } },
      bindings: { 'FILES.put': 0.25, 'FILES.get': 0.5, 'FILES.delete': 9 },
      storedBytes: { firstDay: {}, archived: {}, forGood: {} },
      byteDays: { databases: 3e9, files: 6e9 },
    },
    1500,
  )

  it('uses the rows of every object, and a row for each alarm that is set', () => {
    expect(usage).toMatchObject({
      'databases: rows written': 4.5,
      'databases: rows read': 7,
      'objects: requests and alarms': 2,
    })
  })

  it('uses storage by the month, and operations by their class: deletions have none', () => {
    expect(usage).toMatchObject({
      'databases: GB-months': 0.1,
      'R2: GB-months': 0.2,
      'R2: operations of class A': 0.25,
      'R2: operations of class B': 0.5,
      'Worker: ms of CPU': 1.5,
    })
  })
})

describe('the tally', () => {
  it('adds what a method does before it waits to the method, and what it does afterwards to none', async () => {
    const tally = new StorageTally()
    await tally.around('A.method', async () => {
      tally.addStatement('A')
      await Promise.resolve()
      tally.addStatement('A')
    })
    const { turns } = tally.take()
    expect([turns['A.method']?.statements, turns[`A.${LATER}`]?.statements]).toEqual([1, 1])
  })

  it('counts a method that another one calls as that one’s own, and forgets what it has told', () => {
    const tally = new StorageTally()
    tally.around('A.outer', () => tally.around('A.inner', () => tally.addStatement('A')))
    expect(tally.take().turns).toEqual({ 'A.outer': { ...noCounts(), requests: 1, statements: 1 } })
    expect(tally.take().turns).toEqual({})
  })
})
