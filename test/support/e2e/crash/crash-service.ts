// The service with its stopping points (test/support/e2e/crash/worker/crash-worker.ts) on workerd: built once, then started, killed
// and started again over the same storage, with the same secrets.
import { createServer } from 'node:http'
import { buildService } from '../../../../scripts/workerd/start-service.ts'
import { listen, type RunningServer } from '../../../../scripts/local-http-server.ts'
import type { OperatorTarget } from '../../../../scripts/operator/operator-client.ts'
import { KILL_LINE, type Arm, type CrashSetting } from './steps.ts'

/** From a start to its end, whichever that is. */
export type Life = {
  pid: number
  target: OperatorTarget
  /** Kills the process at once, and resolves when it is gone. */
  kill: () => Promise<void>
  /** Resolves when an armed step has had the process killed. */
  killed: Promise<void>
  /** True if the process has been killed or is being killed. */
  isKilled: () => boolean
  /** How many arms have come about. */
  reached: () => number
  stop: () => Promise<void>
}

export type LifeOptions = { arms?: readonly Arm[]; clockAheadMs?: number; largestFileBytes?: number }

export type CrashService = {
  start: (options?: LifeOptions) => Promise<Life>
  close: () => Promise<void>
}

/** Time for the Worker to begin the turn in the middle of which it is to be killed. */
const TURN_BEGINS_MS = 60

/** Divides alarm times, so that publishing waits some hundred milliseconds, not seconds. */
const ALARM_SPEED = 50

/**
 * @param vars settings of the Worker, such as those that put the emulator in the providers' place
 * @param alarmSpeed what an alarm's time is divided by
 */
export async function buildCrashService(
  folder: string,
  vars: Record<string, string>,
  alarmSpeed = ALARM_SPEED,
): Promise<CrashService> {
  const worker = 'test/support/e2e/crash/worker/crash-worker.ts'
  const service = await buildService(folder, { vars, worker })
  const control = await startControl()

  async function start({ arms = [], clockAheadMs = 0, ...limits }: LifeOptions = {}): Promise<Life> {
    const crash: CrashSetting = { control: control.url, arms, clockAheadMs, alarmSpeed }
    let [isKilled, hasAsked] = [false, false]
    let onAsked = nobodyAsks
    const { server, target } = await service.start(
      {
        ...limits,
        onLine: (line) => {
          if (!line.includes(KILL_LINE)) return
          hasAsked = true
          onAsked()
        },
      },
      [{ kind: 'json', name: 'CRASH', value: crash }],
    )
    const kill = async (): Promise<void> => {
      isKilled = true
      process.kill(server.pid, 'SIGKILL')
      await server.stop()
    }
    let reached = 0
    const killed = new Promise<void>((resolve, reject) => {
      const told = (isKill: boolean): void => {
        reached += 1
        if (isKill) void kill().then(resolve, reject)
      }
      control.onReport(told)
      onAsked = () => told(true)
      if (hasAsked) told(true)
    })
    return {
      pid: server.pid,
      target,
      kill,
      killed,
      isKilled: () => isKilled,
      reached: () => reached,
      stop: server.stop,
    }
  }

  return { start, close: control.close }
}

const nobodyAsks = (): void => {}

type OnReport = (isKill: boolean) => void
type Control = RunningServer & { onReport: (told: OnReport) => void }

const nobodyIsTold: OnReport = () => {}

/** Starts the server to which a Worker reports an armed step. A kill is answered only if it comes in a later turn. */
async function startControl(): Promise<Control> {
  let told = nobodyIsTold
  const server = createServer(({ url = '' }, response) => {
    const isKill = url.startsWith('/kill/')
    if (!isKill || url.endsWith(':during')) response.end()
    if (isKill && url.endsWith(':during')) setTimeout(() => told(true), TURN_BEGINS_MS)
    else told(isKill)
  })
  return {
    ...(await listen(server)),
    onReport: (listener) => {
      told = listener
    },
  }
}
