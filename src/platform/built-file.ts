import { sha256Hex } from './sha256.ts'

/** The files of the build (dist/pages): the binding ASSETS. */
export type BuiltFiles = { fetch: (address: URL) => Promise<Response> }

/** Returns a file of the build, with headers that can be changed. Throws if it is missing. @param path from `/` */
export async function fetchBuiltFile(files: BuiltFiles, path: string): Promise<Response> {
  const file = await files.fetch(new URL(path, 'https://assets.invalid'))
  if (!file.ok) throw new Error(`the build has no ${path}`)
  return new Response(file.body, file)
}

/** Returns the ETag of a file of the build with this text put in. Throws if the file has no ETag. */
export function etagWith(file: Response, text: string): string {
  const etag = file.headers.get('etag')
  if (etag === null) throw new Error('a file of the build has no etag')
  return `"${sha256Hex(`${etag} ${text}`).slice(0, 32)}"`
}
