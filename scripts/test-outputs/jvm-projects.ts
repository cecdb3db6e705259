/**
 * Small projects for Maven and Gradle, as `projects.ts` has them for other runners. Both run
 * offline, with Debian's packages: maven-debian-helper, libsurefire-java, gradle, junit4.
 */
import type { Project, TestKind } from './projects.ts'

function junitClass(tests: readonly TestKind[], group: number): { path: string; text: string } {
  // A class without tests is an error in JUnit, so that no test is a class without its name.
  const name = tests.length > 0 ? `G${group}Test` : `G${group}Helper`
  const methods = tests.map((kind, index) => {
    const head = kind === 'skip' ? '@Test @Ignore' : '@Test'
    const end = kind === 'fail' ? 'Assert.fail("wrong");' : ''
    return `  ${head} public void t${index}() { ${end} }`
  })
  const text = ['import org.junit.*;', `public class ${name} {`, ...methods, '}', ''].join('\n')
  return { path: `src/test/java/${name}.java`, text }
}

const plugin = (name: string, version: string): string =>
  `<plugin><artifactId>maven-${name}-plugin</artifactId><version>${version}</version></plugin>`

const pom = `<project xmlns="http://maven.apache.org/POM/4.0.0">
  <modelVersion>4.0.0</modelVersion>
  <groupId>p</groupId><artifactId>p</artifactId><version>1</version>
  <properties>
    <maven.compiler.source>11</maven.compiler.source>
    <maven.compiler.target>11</maven.compiler.target>
  </properties>
  <dependencies><dependency>
    <groupId>junit</groupId><artifactId>junit</artifactId><version>4.13.2</version>
    <scope>test</scope>
  </dependency></dependencies>
  <build><plugins>
    ${plugin('surefire', '2.22.3')}
    ${plugin('compiler', '3.10.1')}
    ${plugin('resources', '3.3.0')}
  </plugins></build>
</project>
`

const gradleBuild = `apply plugin: 'java'
sourceCompatibility = 11
dependencies {
  testCompile files('/usr/share/java/junit4.jar', '/usr/share/java/hamcrest-core.jar')
}
test.testLogging { if (project.hasProperty('each')) events 'passed', 'skipped', 'failed' }
`

const runners = process.env.TEST_RUNNERS ?? '.'

export const jvmProjects: Record<string, Project> = {
  maven: {
    commands: { plain: `mvn -o -B -Dmaven.repo.local=${runners}/m2 test 2>&1` },
    file: junitClass,
    isSilentWhenEmpty: true,
    extra: () => ({ 'pom.xml': pom }),
  },
  gradle: {
    commands: {
      plain: 'gradle --offline --no-daemon --console=plain -Peach test 2>&1',
    },
    file: junitClass,
    isSilentWhenEmpty: true,
    extra: () => ({ 'build.gradle': gradleBuild, 'settings.gradle': '' }),
  },
}
