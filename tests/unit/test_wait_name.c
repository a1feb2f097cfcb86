// SPDX-License-Identifier: BSD-3-Clause
/* Names of what a descriptor leads to. */
#include "tests/unit/test.h"

#include <arpa/inet.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <stddef.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "preload/sample/wait_name.h"

static const char *name_of(int fd)
{
	static char text[EP_WAIT_NAME_BYTES + 1];

	text[ep_wait_find_name(fd, text)] = '\0';
	return text;
}

TEST(files_have_their_path)
{
	char folder[] = "/tmp/evprof-test-XXXXXX", path[512], *real = NULL;
	int fd;

	CHECK_STR(name_of(-1), "");
	CHECK_STR(name_of(1 << 20), "");
	CHECK(mkdtemp(folder));
	real = realpath(folder, NULL);
	snprintf(path, sizeof(path), "%s/a file", real);
	fd = open(path, O_RDWR | O_CREAT, 0600);
	CHECK_STR(name_of(fd), path);
	close(fd);
	unlink(path);
	snprintf(path, sizeof(path), "%s/%0200d", real, 7);
	fd = open(path, O_RDWR | O_CREAT, 0600);
	CHECK_INT(strlen(name_of(fd)), EP_WAIT_NAME_BYTES);
	CHECK_STR(name_of(fd), path + strlen(path) - EP_WAIT_NAME_BYTES); /* its end */
	close(fd);
	unlink(path);
	rmdir(folder);
	free(real);
}

TEST(pipes_are_pipes)
{
	int ends[2];

	CHECK_INT(pipe(ends), 0);
	CHECK_STR(name_of(ends[0]), "a pipe");
	CHECK_STR(name_of(ends[1]), "a pipe");
	close(ends[0]);
	close(ends[1]);
}

TEST(a_servers_connections_share_the_name_of_its_address)
{
	struct sockaddr_in address = { .sin_family = AF_INET,
		.sin_addr = { htonl(INADDR_LOOPBACK) } };
	int server = socket(AF_INET, SOCK_STREAM, 0), client = socket(AF_INET, SOCK_STREAM, 0);
	socklen_t size = sizeof(address);
	char wanted[64];
	int fd;

	if (bind(server, (struct sockaddr *)&address, sizeof(address)) || listen(server, 3))
		SKIP("there is no network on this machine");
	CHECK_INT(getsockname(server, (struct sockaddr *)&address, &size), 0);
	snprintf(wanted, sizeof(wanted), "socket at 127.0.0.1:%d", ntohs(address.sin_port));
	CHECK_STR(name_of(server), wanted);
	if (connect(client, (struct sockaddr *)&address, sizeof(address)))
		SKIP("the loopback interface is down");
	fd = accept(server, NULL, NULL);
	getsockname(client, (struct sockaddr *)&address, &size);
	if (ntohs(address.sin_port) >= 32768)
		CHECK_STR(name_of(fd), wanted);
	close(fd);
	close(client);
	close(server);
}

TEST(local_sockets_have_their_path)
{
	struct sockaddr_un address = { .sun_family = AF_UNIX };
	char folder[] = "/tmp/evprof-test-XXXXXX", wanted[256];
	int server = socket(AF_UNIX, SOCK_STREAM, 0), client = socket(AF_UNIX, SOCK_STREAM, 0);

	CHECK(mkdtemp(folder));
	snprintf(address.sun_path, sizeof(address.sun_path), "%s/s", folder);
	CHECK_INT(bind(server, (struct sockaddr *)&address, sizeof(address)), 0);
	CHECK_INT(listen(server, 3), 0);
	snprintf(wanted, sizeof(wanted), "socket at %s", address.sun_path);
	CHECK_STR(name_of(server), wanted);
	CHECK_INT(connect(client, (struct sockaddr *)&address, sizeof(address)), 0);
	snprintf(wanted, sizeof(wanted), "socket to %s", address.sun_path);
	CHECK_STR(name_of(client), wanted);
	close(client);
	close(server);
	unlink(address.sun_path);
	rmdir(folder);
}

/* An empty name would say nothing: sockets of a pair have no address at all. */
TEST(sockets_of_a_pair_are_sockets)
{
	struct sockaddr_un address = { .sun_family = AF_UNIX };
	int pair[2], server = socket(AF_UNIX, SOCK_STREAM, 0);
	char wanted[64];

	CHECK_INT(socketpair(AF_UNIX, SOCK_STREAM, 0, pair), 0);
	CHECK_STR(name_of(pair[0]), "a socket");
	close(pair[0]);
	close(pair[1]);
	CHECK_STR(name_of(server), "a socket");
	snprintf(address.sun_path + 1, sizeof(address.sun_path) - 1, "evprof-test-%d", getpid());
	CHECK_INT(bind(server, (struct sockaddr *)&address, sizeof(address)), 0);
	snprintf(wanted, sizeof(wanted), "socket at @evprof-test-%d", getpid());
	CHECK_STR(name_of(server), wanted);
	close(server);
}
