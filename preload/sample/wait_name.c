// SPDX-License-Identifier: BSD-3-Clause
/* Names of descriptors. The kernel chooses the client's port of each connection to a server, so that a name with this
 * port would give each client a row of its own. So all connections to one address of the server share a name. */
#include "wait_name.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <stdbool.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>

#include "common/os/sys.h"

#define LINK_BYTES 1024
#define FIRST_EPHEMERAL_PORT 32768 /* the usual begin of ip_local_port_range */

struct name_text {
	char *bytes; /* (EP_WAIT_NAME_BYTES) */
	size_t size;
};

static void put(struct name_text *text, const char *more, size_t size)
{
	size_t room = EP_WAIT_NAME_BYTES - text->size;

	size = size < room ? size : room;
	memcpy(text->bytes + text->size, more, size);
	text->size += size;
}

static void put_word(struct name_text *text, const char *word)
{
	put(text, word, strlen(word));
}

static void put_number(struct name_text *text, unsigned number)
{
	char digits[10];
	size_t at = sizeof(digits);

	do
		digits[--at] = (char)('0' + number % 10);
	while (number /= 10);
	put(text, digits + at, sizeof(digits) - at);
}

static void put_ipv4(struct name_text *text, const uint8_t bytes[4])
{
	for (int i = 0; i < 4; i++) {
		if (i)
			put_word(text, ".");
		put_number(text, bytes[i]);
	}
}

static void put_ipv6(struct name_text *text, const uint8_t bytes[16])
{
	static const char digits[] = "0123456789abcdef";

	put_word(text, "[");
	for (int i = 0; i < 16; i++) {
		if (i && i % 2 == 0)
			put_word(text, ":");
		put(text, &digits[bytes[i] >> 4], 1);
		put(text, &digits[bytes[i] & 15], 1);
	}
	put_word(text, "]");
}

union address {
	struct sockaddr any;
	struct sockaddr_in ipv4;
	struct sockaddr_in6 ipv6;
	struct sockaddr_un local;
};

/* Returns the port of a socket's address; 0: it has none. */
static unsigned port_of(const union address *address)
{
	switch (address->any.sa_family) {
	case AF_INET:
		return ntohs(address->ipv4.sin_port);
	case AF_INET6:
		return ntohs(address->ipv6.sin6_port);
	}
	return 0;
}

static bool find_address(long call, int fd, union address *out_address)
{
	socklen_t size = sizeof(*out_address);

	memset(out_address, 0, sizeof(*out_address));
	return !ep_sys(call, fd, out_address, &size);
}

/* An abstract address begins with a zero byte, for which other tools write @. */
static void put_local(struct name_text *text, const struct sockaddr_un *local)
{
	bool is_abstract = !local->sun_path[0];

	if (is_abstract)
		put_word(text, "@");
	put(text, local->sun_path + is_abstract,
		strnlen(local->sun_path + is_abstract, sizeof(local->sun_path) - is_abstract));
}

static void put_address(struct name_text *text, const union address *address)
{
	switch (address->any.sa_family) {
	case AF_INET:
		put_ipv4(text, (const uint8_t *)&address->ipv4.sin_addr);
		break;
	case AF_INET6:
		put_ipv6(text, address->ipv6.sin6_addr.s6_addr);
		break;
	case AF_UNIX:
		put_local(text, &address->local);
		return;
	default:
		return;
	}
	put_word(text, ":");
	put_number(text, port_of(address));
}

/* Tells whether an address can be used as a name. The sockets of a socketpair have no such address, and the clients of
 * a local server have none either. */
static bool is_named(const union address *address)
{
	return port_of(address) ||
	       (address->any.sa_family == AF_UNIX &&
		       (address->local.sun_path[0] || address->local.sun_path[1]));
}

static void put_socket(struct name_text *text, int fd)
{
	union address mine, peer;
	bool has_mine = find_address(__NR_getsockname, fd, &mine) && is_named(&mine);
	bool has_peer = find_address(__NR_getpeername, fd, &peer) && is_named(&peer);

	if (!has_mine && !has_peer)
		put_word(text, "a socket");
	else if (has_mine && (!has_peer || port_of(&peer) >= FIRST_EPHEMERAL_PORT ||
				     (peer.any.sa_family == AF_UNIX && !peer.local.sun_path[0]))) {
		put_word(text, "socket at ");
		put_address(text, &mine);
	} else if (has_peer) {
		put_word(text, "socket to ");
		put_address(text, &peer);
	}
}

static long read_link(int fd, char out_link[LINK_BYTES])
{
	char path[32] = "/proc/self/fd/";
	struct name_text text = { path, strlen(path) };

	put_number(&text, (unsigned)fd);
	path[text.size] = '\0';
	return ep_sys_readlink(path, out_link, LINK_BYTES);
}

/* Tells whether a link begins with the kind of the descriptor, as "pipe:[1234]" begins with "pipe:". The number is left
 * out of names: it means nothing to the user, and each pipe has a different number. */
static bool is_kind(const char *link, size_t size, const char *kind)
{
	return size >= strlen(kind) && !memcmp(link, kind, strlen(kind));
}

size_t ep_wait_find_name(int fd, char out_text[EP_WAIT_NAME_BYTES])
{
	struct name_text text = { out_text, 0 };
	char link[LINK_BYTES];
	long size = fd < 0 ? 0 : read_link(fd, link);

	if (size <= 0)
		return 0;
	if (is_kind(link, size, "socket:"))
		put_socket(&text, fd);
	else if (is_kind(link, size, "pipe:"))
		put_word(&text, "a pipe");
	else if (size > EP_WAIT_NAME_BYTES)
		put(&text, link + size - EP_WAIT_NAME_BYTES, EP_WAIT_NAME_BYTES);
	else
		put(&text, link, size);
	return text.size;
}
