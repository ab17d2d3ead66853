// People of a local Worker: signing up where its runtime loses a connection, and the link that signs them in.
import { createServer } from 'node:http'
import { expect, it } from 'vitest'
import { startSignInLink } from '../../scripts/local/servers/sign-in-link.ts'
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

it('says that a password was changed where the link of npm start cannot sign in', async () => {
  const server = createServer((_, response) => response.writeHead(401).end('{}'))
  const { url, close } = await listen(server, { host: '127.0.0.1' })
  const someone = { email: 'a@practice.example', password: 'a long password' }
  const link = await startSignInLink({ url, origin: 'http://localhost:8787' }, someone)
  try {
    expect(link.url).toMatch(/^http:\/\/localhost:\d+\/sign-in\/[\w-]{22}$/)
    const answer = await fetch(link.url.replace('localhost', '127.0.0.1'), { redirect: 'manual' })
    expect([answer.status, answer.headers.get('set-cookie'), await answer.text()]).toEqual([
      502,
      null,
      'The password of a@practice.example was changed here. Sign in with the new one at http://localhost:8787/sign-in.\n',
    ])
  } finally {
    await Promise.all([close(), link.close()])
  }
})
