// Tells why nothing can be written into a folder: the file system is read-only, or full. What fails for such a reason says so in
// many other words, or in a page of them. Plain JavaScript, because it must run on any Node.
import { accessSync, constants, existsSync, statfsSync } from 'node:fs'
import { dirname, resolve } from 'node:path'

const MB = 1_000_000

/**
 * Returns why a folder, which need not exist yet, cannot be used, or null if it can.
 * @param {string} folder
 * @param {number} megabytes the room that is needed
 * @returns {string | null}
 */
export function faultOf(folder, megabytes) {
  const there = existingPart(resolve(folder))
  try {
    accessSync(there, constants.W_OK)
  } catch (thrown) {
    return thrown instanceof Error && 'code' in thrown && thrown.code === 'EROFS'
      ? 'its file system is read-only'
      : 'this user may not write there'
  }
  const { blocks, bavail, bsize } = statfsSync(there)
  // Some network drives do not say.
  if (blocks === 0) return null
  const free = Math.floor((bavail * bsize) / MB)
  return free < megabytes ? `its disk has ${free} MB left, and ${megabytes} MB are needed` : null
}

/** @param {string} folder @returns {string} */
const existingPart = (folder) =>
  // A drive of Windows may be missing itself.
  existsSync(folder) || dirname(folder) === folder ? folder : existingPart(dirname(folder))
