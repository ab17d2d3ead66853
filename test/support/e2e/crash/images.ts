// Images of a service's disk, taken at any moment of its life.
import { appendFile, cp, mkdtemp, readdir } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'

const STOPS_WITHIN_MS = 20

/** Makes the process stand still, and copies its databases as they are then, with torn ends, into a new folder. */
export async function stopAndCopy(pid: number, folder: string): Promise<string> {
  process.kill(pid, 'SIGSTOP')
  await sleep(STOPS_WITHIN_MS)
  const place = await mkdtemp(join(tmpdir(), 'countersign-image-'))
  await cp(join(folder, 'objects'), join(place, 'objects'), { recursive: true })
  await tearEnds(join(place, 'objects'))
  return place
}

/** As when the power went while the next page was written: behind what is whole there is half of a page of noise. */
async function tearEnds(objects: string): Promise<void> {
  const files = await readdir(objects, { recursive: true })
  const noise = crypto.getRandomValues(new Uint8Array(2000))
  await Promise.all(
    files.filter((name) => name.endsWith('.sqlite-wal')).map((name) => appendFile(join(objects, name), noise)),
  )
}
