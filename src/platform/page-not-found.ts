/** What a person sees who followed a link that leads nowhere: a page, with the policy of pages. */
export async function pageNotFound(assets: Fetcher, url: string): Promise<Response> {
  const { body, headers } = await assets.fetch(new URL('/404', url))
  return new Response(body, { status: 404, headers })
}
