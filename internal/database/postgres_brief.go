package database

import (
	"context"
	"database/sql"
	"net"
	"time"
)

// beginPostgresBrief waits for a connection until ctx ends, and returns it with a context that
// does not end, for one statement of a brief querier. When ctx ends, reads and writes of the
// connection fail. Call end after the statement.
func beginPostgresBrief(ctx context.Context, pool *sql.DB) (conn *sql.Conn, brief context.Context, end func(), err error) {
	conn, err = pool.Conn(ctx)
	if err != nil {
		return nil, nil, nil, err
	}
	var network net.Conn
	if err := conn.Raw(func(driverConn any) error {
		network = driverConn.(postgresConn).Conn.Conn().PgConn().Conn()
		return nil
	}); err != nil {
		conn.Close()
		return nil, nil, nil, err
	}
	interrupted := make(chan struct{})
	stop := context.AfterFunc(ctx, func() {
		network.SetDeadline(time.Unix(1, 0)) //nolint:errcheck // fails if the connection is closed
		close(interrupted)
	})
	end = func() {
		if !stop() {
			<-interrupted
			network.SetDeadline(time.Time{}) //nolint:errcheck // as above
		}
		conn.Close()
	}
	return conn, context.WithoutCancel(ctx), end, nil
}
