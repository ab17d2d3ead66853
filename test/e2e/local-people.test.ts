// People of a local Worker, where its runtime loses a connection on the way: that says nothing about the request.
import { createServer } from 'node:http'
import { expect, it } from 'vitest'
import { signUp } from '../../scripts/local/sign-up-people.ts'
import { listen } from '../../scripts/local-http-server.ts'

const mail = {
  id: '1',
  receivedAt: '',
  from: '',
  to: [],
  subject: '',
  text: '',
  links: ['http://127.0.0.1/confirm#a-token'],
}

it('asks once more where the local runtime lost the connection, and then says what it was answered', async () => {
  const asked: string[] = []
  let lost = 1
  const server = createServer((request, response) => {
    asked.push(request.url ?? '')
    const isLost = request.url === '/api/auth/verify-email' && lost-- > 0
    response.writeHead(isLost ? 500 : 200)
    response.end(
      isLost ? 'Error: Network connection lost.\n    at async Object.fetch' : '{"organisations":[{"id":"org_1"}]}',
    )
  })
  const { url, close } = await listen(server, { host: '127.0.0.1' })
  const someone = { email: 'a@practice.example', password: 'a long password' }
  const signing = () => signUp({ url, origin: url }, { waitFor: () => Promise.resolve(mail) }, someone, 'A practice')
  try {
    expect(await signing()).toEqual({ organisationId: 'org_1' })
    expect(asked).toEqual(['/api/auth/signup', '/api/auth/verify-email', '/api/auth/verify-email'])
    lost = 2
    await expect(signing()).rejects.toThrow('Network connection lost')
  } finally {
    await close()
  }
})
