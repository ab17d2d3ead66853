// Runs `npm ci` if node_modules is missing or older than package-lock.json. Plain JavaScript, because it must run before the
// project's own Node is installed. INSTALL=never refuses instead: other processes may be using the packages.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, statSync } from 'node:fs'

const TELLS_EVERY_MS = 10_000

const installed = 'node_modules/.package-lock.json'
const isCurrent = existsSync(installed) && statSync(installed).mtimeMs >= statSync('package-lock.json').mtimeMs

if (!isCurrent && process.env['INSTALL'] === 'never') {
  console.error('package-lock.json is newer than node_modules, and INSTALL=never forbids to install. Run `npm ci`.')
  process.exit(1)
}
if (!isCurrent) {
  console.log('Installing the dependencies with npm ci. This takes about a minute, and is done once …')
  const begun = Date.now()
  const seconds = () => Math.round((Date.now() - begun) / 1000)
  const timer = setInterval(() => console.log(`  still installing after ${seconds()} s`), TELLS_EVERY_MS)
  const npm = spawn('npm', ['ci', '--no-audit', '--no-fund', '--loglevel=error'], {
    stdio: 'inherit',
    shell: process.platform === 'win32',
  })
  await once(npm, 'exit')
  clearInterval(timer)
  if (npm.exitCode !== 0) {
    console.error('The installation failed; npm says why above. Mend that, then run the same command again.')
    process.exit(npm.exitCode ?? 1)
  }
  console.log(`Installed in ${seconds()} s.`)
}
