/** The files of the build (dist/pages): the binding ASSETS. */
export type BuiltFiles = { fetch: (address: URL) => Promise<Response> }

/** Returns a file of the build, with headers that can be changed. Throws if it is missing. @param path from `/` */
export async function fetchBuiltFile(files: BuiltFiles, path: string): Promise<Response> {
  const file = await files.fetch(new URL(path, 'https://assets.invalid'))
  if (!file.ok) throw new Error(`the build has no ${path}`)
  return new Response(file.body, file)
}
