// The two yardsticks on workerd: the floor, which makes a call's durable writes and nothing else, and a bare hello.
import { join } from 'node:path'
import { bundleWorker } from '../workerd/bundle.ts'
import type { Binding } from '../workerd/config.ts'
import { startServer, type Server } from '../workerd/server.ts'

export type FloorOptions = { objects: number; readAnswer: string; listsAnswer: string }

/** @param options how many objects, and the answers to give */
export async function startFloor(folder: string, options: FloorOptions): Promise<Server> {
  const bindings: Binding[] = [
    { kind: 'json', name: 'OBJECTS', value: options.objects },
    { kind: 'text', name: 'READ_ANSWER', value: options.readAnswer },
    { kind: 'text', name: 'LISTS_ANSWER', value: options.listsAnswer },
    { kind: 'durable_object', name: 'FLOOR', className: 'FloorWrites' },
  ]
  return await start(folder, 'scripts/bench/floor/worker.ts', bindings)
}

export const startHello = (folder: string): Promise<Server> => start(folder, 'scripts/bench/hello/worker.ts', [])

async function start(folder: string, main: string, bindings: Binding[]): Promise<Server> {
  return await startServer(folder, { bundle: await bundleWorker(join(folder, 'worker'), main), bindings }, null)
}
