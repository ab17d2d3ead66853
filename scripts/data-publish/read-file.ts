// The file to publish, or a sentence on why it cannot be read.
import { readFile, stat } from 'node:fs/promises'

export type FileOutcome = { ok: true; bytes: Buffer<ArrayBuffer> } | { ok: false; problem: string }

export async function readFileToPublish(path: string): Promise<FileOutcome> {
  try {
    const found = await stat(path)
    if (found.isDirectory()) return { ok: false, problem: `${path} is a folder. Name the CSV file in it.` }
    if (!found.isFile()) return { ok: false, problem: `${path} is not a file. Name the CSV file.` }
    return { ok: true, bytes: await readFile(path) }
  } catch (error) {
    return { ok: false, problem: `${path} ${PROBLEMS[codeOf(error)] ?? 'cannot be read. Check the path.'}` }
  }
}

const PROBLEMS: Partial<Record<string, string>> = {
  ENOENT: 'is not there. Check the path.',
  ENOTDIR: 'is not there. Check the path.',
  EACCES: 'may not be read by you. Check its permissions.',
  EPERM: 'may not be read by you. Check its permissions.',
}

const codeOf = (error: unknown): string => (error instanceof Error && 'code' in error ? String(error.code) : '')
