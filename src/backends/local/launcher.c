/*
 * The launcher: a small process that starts the jobs of the local back-end, so that Node never forks itself.
 *
 *   launcher <millicores> <memory bytes> <host> <boot id>
 *
 * It reads frames from stdin, "<length>\n" followed by that many bytes of NUL-terminated fields:
 *   submit  key directory cwd stdin stdout stderr millicores memory priority timeout-ms grace-ms data-limit argc argv... env...
 *   cancel  key
 *   reserve millicores memory            (signed: work on this machine that another launcher runs)
 * and writes lines to stdout:
 *   ready
 *   started <key> <at ms>                            only for jobs that run longer than ANNOUNCE_MS
 *   ended <key> <started ms> <end fields> [swept]    end fields as in the journal, below; `swept` when no process of it is left
 *   refused <key> taken | <reason>                   nothing was started
 *
 * Each job has a journal, the file <directory>/control, created with O_EXCL: whoever creates it decides (I4). The job's own
 * process appends the first line before it becomes the command; a rival that found the file empty may have appended
 * `fenced` first, and then the command is not executed. The first complete line counts:
 *   started <pid> <ticks> <launcher pid> <launcher ticks> <boot id> <host> <at ms> <deadline ms> <grace ms>
 *           <millicores> <memory>        deadline 0: this program keeps it
 *   failed <reason>
 *   ended <exited|timeout|cancelled> <exit code> <signal> <at ms> <cpu us> <peak bytes>
 * Others append `cancelled` or `timeout` before they stop a job that is not theirs, and `lost <reason>` when this
 * program was killed and the job with it.
 *
 * Order: larger priority first, then first come first served. The head of the queue waits until its cores and memory fit, and
 * nothing overtakes it, so nothing starves. A job larger than the machine runs alone.
 *
 * When stdin ends (Node closed it or died), no queued job starts; running jobs are seen to their end and recorded, then the
 * launcher exits. It heeds no signal but KILL.
 *
 * While jobs are queued, lines are held back up to HOLD_MS, so that Node wakes up once for several ends.
 *
 * Every job leads a session and group of its own. When its leader ends, what is left of the group is killed. On Linux
 * orphans fall to the launcher (child subreaper), and those are killed that are in the job's session, or whose
 * environment or current directory mentions the job's directory, or that are still there when no job runs. Not caught: a
 * process that left the session, the directory and the environment, while other jobs run; or once the launcher was killed.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/select.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#ifdef __linux__
#include <sys/prctl.h>
#include <sys/syscall.h>
#endif

enum { ANNOUNCE_MS = 150, HOLD_MS = 4, HOLD_QUEUED = 8, SWEEP_ROUNDS = 50 };

struct job {
  struct job *next;
  char *key, *directory, *cwd, *in, *out, *err, **argv, **env;
  long long cores, memory, priority, timeout, grace, data_limit;
  pid_t pid;
  int journal;
  long long started;  /* wall clock */
  long long due;      /* monotonic: when to send the next signal; 0 never */
  long long announce; /* monotonic: when to say that it runs; 0 said */
  const char *end;    /* exited, timeout or cancelled */
};

struct text {
  char *bytes;
  size_t length, room;
};

extern char **environ;
static long long hold_until; /* monotonic: when held-back output is due; 0 at once */
static int queue_length;
static long long free_cores, all_cores, free_memory, all_memory, my_ticks;
static const char *host, *boot_id;
static struct job *queued, *last_queued, *running;
static struct text input, output;

static char *no_environment[] = {NULL};

/* Written by the job's process, which shares our memory until it executes the command. */
static const char *volatile failed_step;
static volatile int failed_errno;

static void *need(void *memory) {
  if (!memory) _exit(70);
  return memory;
}

static void append(struct text *text, const char *bytes, size_t length) {
  if (text->length + length > text->room)
    text->bytes = need(realloc(text->bytes, text->room = 2 * (text->length + length)));
  memcpy(text->bytes + text->length, bytes, length);
  text->length += length;
}

static void drop_front(struct text *text, size_t length) {
  text->length -= length;
  memmove(text->bytes, text->bytes + length, text->length);
}

static void say(const char *format, ...) {
  char line[1024];
  va_list values;
  va_start(values, format);
  int length = vsnprintf(line, sizeof line, format, values);
  va_end(values);
  append(&output, line, length < (int)sizeof line ? (size_t)length : sizeof line - 1);
}

static long long clock_ms(clockid_t clock) {
  struct timespec now;
  clock_gettime(clock, &now);
  return now.tv_sec * 1000LL + now.tv_nsec / 1000000;
}

static size_t read_file(const char *path, char *bytes, size_t room) {
  int file = open(path, O_RDONLY | O_CLOEXEC);
  if (file < 0) return 0;
  size_t length = 0;
  ssize_t got;
  while (length < room - 1 && (got = read(file, bytes + length, room - 1 - length)) > 0) length += got;
  close(file);
  bytes[length] = 0;
  return length;
}

/* The kernel's start time of the calling process, which with its pid names it for ever (0 where there is no /proc). */
static long long start_ticks(void) {
  char stat[1024];
  if (!read_file("/proc/self/stat", stat, sizeof stat)) return 0;
  char *at = strrchr(stat, ')'); /* field 2 may contain anything; 22 is the start time */
  for (int field = 2; at && field < 22; field++) at = strchr(at + 1, ' ');
  return at ? atoll(at) : 0;
}

/* ---- starting ---- */

static _Noreturn void give_up(const char *step) {
  failed_errno = errno;
  failed_step = step;
  _exit(126);
}

static _Noreturn void explain(const char *what, const char *name, int code) {
  int problem = errno;
  dprintf(2, "varve: cannot %s '%s': %s\n", what, name, strerror(problem));
  _exit(code);
}

static void open_as(int wanted, const char *path, const char *step) {
  int file = open(path, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0666);
  if (file < 0) give_up(step);
  if (dup2(file, wanted) < 0) give_up(step);
}

/* Runs in the job's process, with our memory: nothing here may allocate or change what we use. */
static _Noreturn void become(struct job *job) {
  setsid();
  open_as(2, job->err, "open stderr");
  if (strcmp(job->out, job->err) == 0) {
    if (dup2(2, 1) < 0) give_up("open stdout");
  } else {
    open_as(1, job->out, "open stdout");
  }
  char line[512];
  int length = snprintf(line, sizeof line, "started %d %lld %d %lld %s %s %lld 0 %lld %lld %lld\n", (int)getpid(),
                        start_ticks(), (int)getppid(), my_ticks, boot_id, host, job->started, job->grace, job->cores,
                        job->memory);
  if (write(job->journal, line, length) != length) give_up("write the journal");
  if (lseek(job->journal, 0, SEEK_CUR) != length) errno = EEXIST, give_up("start");

  const char *in = *job->in ? job->in : "/dev/null";
  int file = open(in, O_RDONLY | O_CLOEXEC);
  if (file < 0) explain("open stdin", in, 126);
  dup2(file, 0);
  if (chdir(job->cwd) < 0) explain("enter", job->cwd, 126);
  if (job->data_limit) {
    struct rlimit limit = {job->data_limit, job->data_limit};
    if (setrlimit(RLIMIT_DATA, &limit) < 0) explain("limit memory of", job->argv[0], 126);
  }
  sigset_t none;
  sigemptyset(&none);
  sigprocmask(SIG_SETMASK, &none, NULL);
  execvp(job->argv[0], job->argv);
  explain("execute", job->argv[0], errno == ENOENT ? 127 : 126);
}

static int create_journal(const char *directory) {
  char path[PATH_MAX];
  if (snprintf(path, sizeof path, "%s/control", directory) >= (int)sizeof path) return errno = ENAMETOOLONG, -1;
  return open(path, O_WRONLY | O_APPEND | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
}

static void refuse(struct job *job, const char *step, int problem) {
  if (problem == EEXIST) {
    say("refused %s taken\n", job->key);
  } else {
    say("refused %s cannot %s: %s\n", job->key, step, strerror(problem));
    if (job->journal >= 0) dprintf(job->journal, "failed cannot %s: %s\n", step, strerror(problem));
  }
  if (job->journal >= 0) close(job->journal);
  free(job);
}

static void start(struct job *job) {
  job->journal = create_journal(job->directory);
  if (job->journal < 0) return refuse(job, "create the journal", errno);
  job->started = clock_ms(CLOCK_REALTIME);
  job->end = "exited";
  failed_step = NULL;
  environ = job->env; /* execvp looks the command up in the job's own PATH */
  job->pid = vfork();
  if (job->pid == 0) become(job);
  environ = no_environment;
  if (job->pid < 0) return refuse(job, "fork", errno);
  if (failed_step) {
    waitpid(job->pid, NULL, 0);
    return refuse(job, failed_step, failed_errno);
  }
  long long now = clock_ms(CLOCK_MONOTONIC);
  job->due = job->timeout ? now + job->timeout : 0;
  job->announce = now + ANNOUNCE_MS;
  free_cores -= job->cores;
  free_memory -= job->memory;
  job->next = running;
  running = job;
}

static void start_what_fits(void) {
  while (queued && queued->cores <= free_cores && queued->memory <= free_memory) {
    struct job *job = queued;
    queued = job->next;
    if (!queued) last_queued = NULL;
    queue_length--;
    start(job);
  }
}

/* ---- ending ---- */

static void stop(struct job *job, const char *end, long long now) {
  if (strcmp(job->end, "exited") != 0) return;
  job->end = end;
  job->due = now + job->grace;
  kill(-job->pid, SIGTERM);
}

static void keep_time(long long now) {
  for (struct job *job = running; job; job = job->next) {
    if (job->announce && now >= job->announce) {
      job->announce = 0;
      say("started %s %lld\n", job->key, job->started);
    }
    if (!job->due || now < job->due) continue;
    if (strcmp(job->end, "exited") == 0) {
      stop(job, "timeout", now);
    } else {
      kill(-job->pid, SIGKILL);
      job->due = 0;
    }
  }
}

#ifdef __linux__
static bool leads_job(pid_t pid) {
  struct job *job = running;
  while (job && job->pid != pid) job = job->next;
  return job;
}

/* Whether the text names the directory or a path below it. */
static bool names(const char *text, size_t length, const char *directory) {
  size_t wanted = strlen(directory);
  for (const char *at = text; (at = memmem(at, text + length - at, directory, wanted)); at++)
    if (!at[wanted] || strchr("/:;, \"'", at[wanted])) return true;
  return false;
}

static bool mentions(pid_t pid, const char *directory) {
  static char text[1 << 17];
  char path[64];
  snprintf(path, sizeof path, "/proc/%d/environ", (int)pid);
  if (names(text, read_file(path, text, sizeof text), directory)) return true;
  snprintf(path, sizeof path, "/proc/%d/cwd", (int)pid);
  ssize_t got = readlink(path, text, sizeof text - 1);
  if (got > 0) text[got] = 0;
  return got > 0 && names(text, got, directory);
}

/* Kills the processes that the job left to us; rounds, because a killed one leaves us its children in turn. True when none is left. */
static bool sweep(const struct job *ended) {
  static char children[64];
  char list[1 << 14];
  if (!*children) snprintf(children, sizeof children, "/proc/self/task/%d/children", (int)getpid());
  for (int round = 0; round < SWEEP_ROUNDS; round++) {
    bool found = false, spared = false;
    errno = 0;
    if (!read_file(children, list, sizeof list)) return errno == 0;
    for (char *at = list, *end; *at; at = end) {
      pid_t pid = strtol(at, &end, 10);
      if (end == at) break;
      if (leads_job(pid) || waitpid(pid, NULL, WNOHANG) == pid) continue;
      if (running && getsid(pid) != ended->pid && !mentions(pid, ended->directory)) {
        spared = true;
        continue;
      }
      pid_t group = getpgid(pid);
      if (group > 0 && group != getpgrp()) kill(-group, SIGKILL);
      kill(pid, SIGKILL);
      found = true;
    }
    if (!found) return !spared;
    nanosleep(&(struct timespec){.tv_nsec = 1000000}, NULL);
  }
  return false;
}
#else
static bool sweep(const struct job *ended) { return (void)ended, false; }
#endif

static long long microseconds(struct timeval time) { return time.tv_sec * 1000000LL + time.tv_usec; }

static void finish(struct job *job, int status, const struct rusage *usage) {
  int signal = WIFSIGNALED(status) ? WTERMSIG(status) : 0;
#ifdef __APPLE__
  long long peak = usage->ru_maxrss;
#else
  long long peak = usage->ru_maxrss * 1024LL;
#endif
  bool swept = sweep(job);
  char end[160];
  int length = snprintf(end, sizeof end, "%s %d %d %lld %lld %lld\n", job->end, signal ? 128 + signal : WEXITSTATUS(status),
                        signal, clock_ms(CLOCK_REALTIME), microseconds(usage->ru_utime) + microseconds(usage->ru_stime), peak);
  dprintf(job->journal, "ended %.*s", length, end);
  close(job->journal);
  say("ended %s %lld %.*s%s\n", job->key, job->started, length - 1, end, swept ? " swept" : "");
  free_cores += job->cores;
  free_memory += job->memory;
  free(job);
}

static void reap(void) {
  for (;;) {
    siginfo_t info = {0};
    /* The leader stays a zombie until its group is killed, so that its number cannot be another's by then. */
    if (waitid(P_ALL, 0, &info, WEXITED | WNOHANG | WNOWAIT) < 0 || info.si_pid == 0) return;
    struct job **link = &running;
    while (*link && (*link)->pid != info.si_pid) link = &(*link)->next;
    struct job *job = *link;
    if (job) kill(-job->pid, SIGKILL);
    int status;
    struct rusage usage;
    wait4(info.si_pid, &status, 0, &usage);
    if (!job) continue;
    *link = job->next;
    finish(job, status, &usage);
  }
}

/* ---- requests ---- */

static char *next_field(char **at) {
  char *field = *at;
  *at += strlen(field) + 1;
  return field;
}

static long long next_number(char **at) { return atoll(next_field(at)); }

static void enqueue(const char *fields, size_t length) {
  size_t words = 2;
  for (size_t i = 0; i < length; i++) words += fields[i] == 0;
  struct job *job = need(calloc(1, sizeof *job + words * sizeof(char *) + length));
  char **word = (char **)(job + 1), *at = (char *)(word + words), *end = at + length;
  memcpy(at, fields, length);
  next_field(&at);
  job->key = next_field(&at), job->directory = next_field(&at), job->cwd = next_field(&at);
  job->in = next_field(&at), job->out = next_field(&at), job->err = next_field(&at);
  job->cores = next_number(&at), job->memory = next_number(&at), job->priority = next_number(&at);
  job->timeout = next_number(&at), job->grace = next_number(&at), job->data_limit = next_number(&at);
  long long arguments = next_number(&at);
  job->argv = word;
  while (arguments-- > 0) *word++ = next_field(&at);
  *word++ = NULL;
  job->env = word;
  while (at < end) *word++ = next_field(&at);
  *word = NULL;
  if (job->cores > all_cores || job->memory > all_memory) job->cores = all_cores, job->memory = all_memory;
  struct job **link = last_queued && last_queued->priority >= job->priority ? &last_queued->next : &queued;
  while (*link && (*link)->priority >= job->priority) link = &(*link)->next;
  job->next = *link;
  *link = job;
  if (!job->next) last_queued = job;
  queue_length++;
}

static void cancel(const char *key) {
  struct job *before = NULL;
  for (struct job *job = queued; job; before = job, job = job->next) {
    if (strcmp(job->key, key) != 0) continue;
    *(before ? &before->next : &queued) = job->next;
    if (!job->next) last_queued = before;
    queue_length--;
    say("ended %s 0 cancelled 0 0 0 0 0\n", key);
    free(job);
    return;
  }
  for (struct job *job = running; job; job = job->next)
    if (strcmp(job->key, key) == 0) stop(job, "cancelled", clock_ms(CLOCK_MONOTONIC));
}

static void obey(char *fields, size_t length) {
  char *at = fields, *verb = next_field(&at);
  if (strcmp(verb, "submit") == 0) {
    enqueue(fields, length);
  } else if (strcmp(verb, "cancel") == 0) {
    cancel(at);
  } else if (strcmp(verb, "reserve") == 0) {
    free_cores -= next_number(&at);
    free_memory -= next_number(&at);
  }
}

static void obey_complete_frames(void) {
  size_t done = 0;
  for (;;) {
    char *head = input.bytes + done, *line = memchr(head, '\n', input.length - done);
    if (!line) break;
    size_t length = strtoul(head, NULL, 10), used = line + 1 - input.bytes;
    if (input.length - used < length) break;
    obey(line + 1, length);
    done = used + length;
  }
  if (done) drop_front(&input, done);
}

/* Reads all there is, so that the end of input is seen before anything is started; false at the end. */
static bool take_input(void) {
  static char chunk[1 << 16];
  ssize_t got;
  while ((got = read(0, chunk, sizeof chunk)) > 0) append(&input, chunk, got);
  if (input.length) obey_complete_frames();
  return got < 0 && (errno == EAGAIN || errno == EINTR);
}

/* ---- the loop ---- */

static void wait_for_something(bool open, long long now, sigset_t *waiting) {
  long long next = LLONG_MAX;
  for (struct job *job = running; job; job = job->next) {
    if (job->due && job->due < next) next = job->due;
    if (job->announce && job->announce < next) next = job->announce;
  }
  if (hold_until && hold_until < next) next = hold_until;
  long long ms = next > now ? next - now : 0;
  struct timespec timeout = {ms / 1000, ms % 1000 * 1000000};
  fd_set readable, writable;
  FD_ZERO(&readable);
  FD_ZERO(&writable);
  if (open) FD_SET(0, &readable);
  if (output.length && !hold_until) FD_SET(1, &writable);
  pselect(2, &readable, &writable, NULL, next == LLONG_MAX ? NULL : &timeout, waiting);
}

static void flush_output(long long now) {
  if (!output.length) return;
  if (!hold_until) hold_until = now + HOLD_MS;
  if (queue_length >= HOLD_QUEUED && now < hold_until) return;
  hold_until = 0;
  ssize_t sent = write(1, output.bytes, output.length);
  if (sent > 0) drop_front(&output, sent);
  else if (errno != EAGAIN && errno != EINTR) output.length = 0; /* nobody listens: the journals have it all */
}

/* Jobs must not keep alive pipes that whoever started Node left open. */
static void close_inherited_files(void) {
#ifdef SYS_close_range
  if (syscall(SYS_close_range, 3, ~0U, 0) == 0) return;
#endif
  for (int file = 3; file < 1024; file++) close(file);
}

static void ignore(int signal) { (void)signal; }

int main(int argc, char **argv) {
  if (argc != 5) return 64;
  free_cores = all_cores = atoll(argv[1]);
  free_memory = all_memory = atoll(argv[2]);
  host = argv[3];
  boot_id = argv[4];
  my_ticks = start_ticks();
  close_inherited_files();
#ifdef __linux__
  prctl(PR_SET_CHILD_SUBREAPER, 1);
#endif
  sigset_t all, all_but_child;
  sigfillset(&all);
  sigprocmask(SIG_SETMASK, &all, NULL);
  sigfillset(&all_but_child);
  sigdelset(&all_but_child, SIGCHLD);
  sigaction(SIGCHLD, &(struct sigaction){.sa_handler = ignore}, NULL);
  fcntl(0, F_SETFL, fcntl(0, F_GETFL) | O_NONBLOCK);
  fcntl(1, F_SETFL, fcntl(1, F_GETFL) | O_NONBLOCK);
  say("ready\n");

  bool open = true;
  while (open || running) {
    long long now = clock_ms(CLOCK_MONOTONIC);
    flush_output(now);
    wait_for_something(open, now, &all_but_child);
    reap();
    keep_time(clock_ms(CLOCK_MONOTONIC));
    open = open && take_input();
    if (open) start_what_fits();
  }
  flush_output(LLONG_MAX - HOLD_MS);
  return 0;
}
