// npm start: installs missing packages, then runs start.ts. Plain JavaScript, because the first start may run on a Node that cannot
// run TypeScript. The packages include one that can.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'

await import('./install.mjs')

const [major = 0, minor = 0] = process.versions.node.split('.').map(Number)
if (major > 22 || (major === 22 && minor >= 18)) {
  process.loadEnvFile('.env')
  await import('./start.ts')
} else {
  const child = spawn(
    join('node_modules', '.bin', 'node'),
    ['--env-file=.env', 'scripts/start.ts', ...process.argv.slice(2)],
    {
      stdio: 'inherit',
      shell: process.platform === 'win32',
    },
  )
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => child.kill())
  await once(child, 'exit')
  process.exitCode = child.exitCode ?? 1
}
